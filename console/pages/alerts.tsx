import { useState } from "preact/hooks";
import { callApi } from "../api/client.ts";
import type { Answers } from "../api/operations.ts";
import { AlertDetail } from "../components/alert/alert-detail.tsx";
import { AlertForm } from "../components/alert/alert-form.tsx";
import { AlertStatus } from "../components/alert/alert-status.tsx";
import { Icon } from "../components/icon.tsx";
import { Loaded } from "../components/loaded.tsx";
import { Empty } from "../components/notices.tsx";
import { TableCard } from "../components/table-card.tsx";
import { newAlert } from "../lib/alert-draft.ts";
import { formatAgo } from "../lib/time.ts";
import { useLoad } from "../lib/use-load.ts";
import { linkTo, navigate, route } from "../state/route.ts";
import { say } from "../state/toasts.ts";

/** Queries that run by schedule and notify others of their rows. */
export function AlertsPage() {
  const [, id] = route.value.path.split("/");
  if (id === undefined) return <AlertList />;
  return id === "new" ? <NewAlert /> : <AlertDetail key={id} id={id} />;
}

function NewAlert() {
  return (
    <div class="page">
      <div class="page-head">
        <h1>New alert</h1>
        <a href={linkTo("alerts")}>All alerts</a>
      </div>
      <AlertForm
        draft={newAlert}
        onSaved={(id) => {
          say("Created: try it over the past");
          navigate(`alerts/${id}`);
        }}
      />
    </div>
  );
}

type Alert = Answers["listAlerts"][number];

const headings = ["Name", "Status", "Severity", "Runs", "Last run"];
/** Alerts that are listed at once: each asks for its state. */
const shownAlerts = 50;

function AlertList() {
  const load = useLoad((signal) => callApi("listAlerts", { signal }), []);
  const [search, setSearch] = useState("");
  return (
    <div class="page">
      <div class="page-head">
        <h1>Alerts</h1>
        <p class="soft grow">Queries that run by schedule, and notify when their rows meet a condition</p>
        <input
          class="input"
          type="search"
          aria-label="Find an alert by its name"
          placeholder="Find by name"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
        <a class="button primary" href={linkTo("alerts/new")}>
          <Icon name="plus" /> New alert
        </a>
      </div>
      <Loaded load={load}>{(alerts) => <Listed alerts={alerts} search={search.trim().toLowerCase()} />}</Loaded>
    </div>
  );
}

function Listed({ alerts, search }: { readonly alerts: readonly Alert[]; readonly search: string }) {
  const found = alerts.filter(({ name }) => String(name).toLowerCase().includes(search));
  if (found.length === 0) {
    return (
      <Empty title={alerts.length === 0 ? "There is no alert yet" : "No alert has such a name"}>
        {alerts.length === 0 && <p>An alert runs a query by schedule and notifies a webhook, Slack, a mail address.</p>}
      </Empty>
    );
  }
  return (
    <>
      <TableCard label="Alerts" headings={headings}>
        {found.slice(0, shownAlerts).map((alert) => (
          <AlertLine key={alert.id} alert={alert} />
        ))}
      </TableCard>
      {found.length > shownAlerts && (
        <p class="faint">
          {shownAlerts} of {found.length}: search for the others by name.
        </p>
      )}
    </>
  );
}

function AlertLine({ alert }: { readonly alert: Alert }) {
  const id = String(alert.id);
  const { value: state } = useLoad((signal) => callApi("getAlertState", { path: { id }, signal }), [id]);
  const { every, cron, severity } = alert;
  const lastRun = state?.last_run_at ?? null;
  return (
    <tr>
      <td>
        <a class="plain-text" href={linkTo(`alerts/${id}`)}>
          {String(alert.name)}
        </a>{" "}
        {alert.origin === "file" && <span class="badge">file</span>}
      </td>
      <td>{state !== undefined && <AlertStatus status={state.status} isEnabled={alert.enabled !== false} />}</td>
      <td class="soft">{String(severity ?? "warning")}</td>
      <td class="mono name">{typeof every === "string" ? `every ${every}` : String(cron ?? "")}</td>
      <td class="name">
        {lastRun === null ? <span class="faint">none yet</span> : formatAgo(Date.parse(lastRun), Date.now())}
      </td>
    </tr>
  );
}
