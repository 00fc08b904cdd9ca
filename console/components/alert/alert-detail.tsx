import { useState } from "preact/hooks";
import { callApi } from "../../api/client.ts";
import type { Answers } from "../../api/operations.ts";
import { type Destination, readAlertDraft } from "../../lib/alert-draft.ts";
import { describeLabels } from "../../lib/alert-lanes.ts";
import { formatAgo, formatInstant, lengthMs } from "../../lib/time.ts";
import { useLoad } from "../../lib/use-load.ts";
import { zone } from "../../state/preferences.ts";
import { linkTo, navigate } from "../../state/route.ts";
import { attempt, say } from "../../state/toasts.ts";
import { Button } from "../button.tsx";
import { Confirm } from "../confirm.tsx";
import { Card, FactList, Figures } from "../layout.tsx";
import { Loaded } from "../loaded.tsx";
import { Menu } from "../menu.tsx";
import { Table } from "../table-card.tsx";
import { describeDestination, useBackendNames } from "./alert-destinations.tsx";
import { AlertForm } from "./alert-form.tsx";
import { AlertRehearsal } from "./alert-rehearsal.tsx";
import { AlertStatus } from "./alert-status.tsx";

type Alert = Answers["getAlert"];
type State = Answers["getAlertState"];

/** An alert: its state by group, what it would have reported in the past, and its definition. */
export function AlertDetail({ id }: { readonly id: string }) {
  const load = useLoad((signal) => callApi("getAlert", { path: { id }, signal }), [id]);
  return (
    <div class="page">
      {load.value === undefined && (
        <div class="page-head">
          <h1 class="mono">{id}</h1>
          <a href={linkTo("alerts")}>All alerts</a>
        </div>
      )}
      <Loaded load={load}>{(alert) => <Shown key={alert.updated_at} alert={alert} onChanged={load.reload} />}</Loaded>
    </div>
  );
}

function Shown({ alert, onChanged }: { readonly alert: Alert; readonly onChanged: () => void }) {
  const id = String(alert.id);
  const state = useLoad((signal) => callApi("getAlertState", { path: { id }, signal }), [id]);
  const [isEdited, setEdited] = useState(false);
  const isFile = alert.origin === "file";
  const reload = () => {
    state.reload();
    onChanged();
  };
  return (
    <>
      <div class="page-head">
        <h1>{String(alert.name)}</h1>
        {state.value !== undefined && <AlertStatus status={state.value.status} isEnabled={alert.enabled !== false} />}
        {isFile && <span class="badge">file</span>}
        <a class="grow" href={linkTo("alerts")}>
          All alerts
        </a>
        <Actions alert={alert} onEdit={() => setEdited(!isEdited)} onChanged={reload} />
      </div>
      {isFile && <p class="soft">Defined in {String(alert.file)}: change it there.</p>}
      {isEdited ? (
        <AlertForm
          id={id}
          draft={readAlertDraft(alert)}
          onSaved={() => {
            say("Saved");
            setEdited(false);
            reload();
          }}
        />
      ) : (
        <>
          <StateCard load={state} />
          <AlertRehearsal id={id} every={alert.every} />
          <Definition alert={alert} />
        </>
      )}
    </>
  );
}

interface ActionsProps {
  readonly alert: Alert;
  readonly onEdit: () => void;
  readonly onChanged: () => void;
}

function Actions({ alert, onEdit, onChanged }: ActionsProps) {
  const id = String(alert.id);
  const [isLeaving, setLeaving] = useState(false);
  const isFile = alert.origin === "file";
  return (
    <>
      <SilenceMenu alert={alert} onChanged={onChanged} />
      {!isFile && (
        <>
          <Button text="Edit" onClick={onEdit} />
          <Button class="danger" text="Delete" onClick={() => setLeaving(true)} />
        </>
      )}
      {isLeaving && (
        <Confirm
          title="Delete the alert"
          text={`“${String(alert.name)}” ends, with the notices that wait. This cannot be undone.`}
          action="Delete"
          act={() => callApi("deleteAlert", { path: { id } })}
          onClose={(isDone) => (isDone ? navigate("alerts") : setLeaving(false))}
        />
      )}
    </>
  );
}

const silences = ["1h", "8h", "1d", "7d"] as const;

function SilenceMenu({ alert, onChanged }: Pick<ActionsProps, "alert" | "onChanged">) {
  const silence = (length: string | undefined) =>
    attempt(async () => {
      const until = length === undefined ? {} : { until: new Date(Date.now() + lengthMs(length)).toISOString() };
      await callApi("silenceAlert", { path: { id: String(alert.id) }, body: until });
      say(length === undefined ? "Its notices are sent again" : `Silent for ${length}`);
      onChanged();
    });
  const lengths = typeof alert.silenced_until === "string" ? [...silences, undefined] : silences;
  return (
    <Menu label="Silence" text="Silence">
      {(close) =>
        lengths.map((length) => (
          <button
            type="button"
            key={length ?? ""}
            class="menu-item"
            onClick={() => {
              close();
              void silence(length);
            }}
          >
            {length === undefined ? "End the silence" : `For ${length}`}
          </button>
        ))
      }
    </Menu>
  );
}

function StateCard({ load }: { readonly load: ReturnType<typeof useLoad<State>> }) {
  return (
    <Card label="State" head={<Button class="plain small" text="Refresh" onClick={load.reload} />}>
      <Loaded load={load}>{(state) => <StateFigures state={state} />}</Loaded>
    </Card>
  );
}

function StateFigures({ state }: { readonly state: State }) {
  const { last_run_at: last, next_run_at: next, silenced_until: silenced, failure, last_error: lastError } = state;
  const nowMs = Date.now();
  const figures: readonly (readonly [string, string])[] = [
    ["Last run", last === null ? "none yet" : formatAgo(Date.parse(last), nowMs)],
    ["Next run", next === null ? "none" : formatInstant(Date.parse(next), zone.value)],
    ["Notices that wait", String(state.waiting)],
    ["Given up", String(state.dropped)],
    ...(silenced !== null && Date.parse(silenced) > nowMs
      ? [["Silent until", formatInstant(Date.parse(silenced), zone.value)] as const]
      : []),
  ];
  return (
    <>
      {failure !== null && (
        <div class="notice danger plain-text">
          {`It cannot run since ${formatInstant(Date.parse(failure.since), zone.value)}: ${failure.reason}`}
        </div>
      )}
      {lastError !== null && <div class="notice warning plain-text">{`Notices wait: ${lastError}`}</div>}
      <Figures figures={figures} />
      {state.groups.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        <section class="scroll-x" tabIndex={0} aria-label="Groups">
          <Table headings={["Group", "Status", { ofNumbers: "Value" }, "Since"]}>
            {state.groups.map((group) => (
              <tr key={JSON.stringify(group.labels)}>
                <td class="mono plain-text">{describeLabels(group.labels)}</td>
                <td>
                  <AlertStatus status={group.status} isEnabled />
                </td>
                <td class="number">{group.value ?? "–"}</td>
                <td class="name">{formatInstant(Date.parse(group.since), zone.value)}</td>
              </tr>
            ))}
          </Table>
        </section>
      )}
    </>
  );
}

function Definition({ alert }: { readonly alert: Alert }) {
  const draft = readAlertDraft(alert);
  const backends = useBackendNames();
  const { webhook_notification_url: webhook, slack_hook_url: slack, backends: own } = alert;
  const destinations: readonly Destination[] = [
    ...draft.notify,
    ...((own as readonly string[] | undefined) ?? []),
    ...(typeof webhook === "string" ? [{ type: "webhook", url: webhook }] : []),
    ...(typeof slack === "string" ? [{ type: "slack", url: slack }] : []),
  ];
  const condition = draft.column === "" ? "there is any row" : `${draft.column} ${draft.op} ${draft.value}`;
  const facts: readonly (readonly [string, string])[] = [
    ["Runs", draft.every === "" ? `${draft.cron} (${draft.zone === "" ? "UTC" : draft.zone})` : `every ${draft.every}`],
    ["Fires where", condition + (draft.for === "" ? "" : ` for ${draft.for}`)],
    ...(draft.groupBy === "" ? [] : [["A group for each", draft.groupBy] as const]),
    ["Severity", draft.severity],
    [
      "Notifies",
      destinations.length === 0 ? "nobody" : destinations.map((each) => describeDestination(each, backends)).join("; "),
    ],
  ];
  return (
    <Card label="Definition">
      {draft.description !== "" && <p class="plain-text">{draft.description}</p>}
      <FactList facts={facts} />
      <pre class="code">{draft.kind === "endpoint" ? `endpoint ${draft.text}` : draft.text}</pre>
    </Card>
  );
}
