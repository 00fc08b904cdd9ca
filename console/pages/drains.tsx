import { useState } from "preact/hooks";
import { callApi } from "../api/client.ts";
import type { Answers } from "../api/operations.ts";
import { Button } from "../components/button.tsx";
import { EditAndDelete } from "../components/confirm.tsx";
import { Dialog } from "../components/dialog.tsx";
import { DrainForm } from "../components/drain/drain-form.tsx";
import { DrainRules } from "../components/drain/drain-rules.tsx";
import { Loaded } from "../components/loaded.tsx";
import { Empty } from "../components/notices.tsx";
import { TableCard } from "../components/table-card.tsx";
import { newBackend, readBackendDraft } from "../lib/backend-draft.ts";
import { useLoad } from "../lib/use-load.ts";
import { formatCount } from "../lib/values.ts";
import { linkTo, navigate, route } from "../state/route.ts";
import { attempt, say } from "../state/toasts.ts";

type Backend = Answers["listBackends"][number];

/** Where stored events are forwarded to. */
export function DrainsPage() {
  const [, id] = route.value.path.split("/");
  return id === undefined ? <DrainList /> : <DrainDetail key={id} id={id} />;
}

const headings = ["Name", "Type", "Address", ...["Rules", "Waiting", "Delivered"].map((ofNumbers) => ({ ofNumbers }))];

/** The address of a destination, without its secrets. */
const addressOf = ({ config }: Backend) => String((config as { readonly url?: unknown }).url ?? "");

function DrainList() {
  const load = useLoad((signal) => callApi("listBackends", { signal }), []);
  const [isMaking, setMaking] = useState(false);
  return (
    <div class="page">
      <div class="page-head">
        <h1>Drains</h1>
        <p class="soft grow">Forward events to other services as they arrive</p>
        <Button class="primary" icon="plus" text="New drain" onClick={() => setMaking(true)} />
      </div>
      <Loaded load={load}>
        {(backends) =>
          backends.length === 0 ? (
            <Empty title="There is no drain yet">
              <p>A drain sends the events that you choose to a webhook, a collector of OTLP, Loki, S3 or a Logweir.</p>
            </Empty>
          ) : (
            <TableCard label="Drains" headings={headings}>
              {backends.map((backend) => (
                <DrainLine key={backend.id} backend={backend} />
              ))}
            </TableCard>
          )
        }
      </Loaded>
      {isMaking && (
        <Dialog title="New drain" onClose={() => setMaking(false)}>
          <DrainForm draft={newBackend} onSaved={(id) => navigate(`drains/${id}`)} />
        </Dialog>
      )}
    </div>
  );
}

function DrainLine({ backend }: { readonly backend: Backend }) {
  const { id, name, type, status } = backend;
  const sum = (count: "waiting" | "delivered") => status.reduce((total, each) => total + each[count], 0);
  return (
    <tr>
      <td>
        <a class="plain-text" href={linkTo(`drains/${id}`)}>
          {name}
        </a>{" "}
        {status.some(({ last_error: error }) => error !== null) && <span class="badge danger">failing</span>}
      </td>
      <td class="soft">{type}</td>
      <td class="mono">{addressOf(backend)}</td>
      <td class="number">{status.length}</td>
      <td class="number">{formatCount(sum("waiting"))}</td>
      <td class="number">{formatCount(sum("delivered"))}</td>
    </tr>
  );
}

function DrainDetail({ id }: { readonly id: string }) {
  const load = useLoad((signal) => callApi("getBackend", { path: { id }, signal }), [id]);
  const name = load.value?.name ?? id;
  return (
    <div class="page">
      <div class="page-head">
        <h1>{name}</h1>
        {load.value !== undefined && <span class="badge">{load.value.type}</span>}
        <a class="grow" href={linkTo("drains")}>
          All drains
        </a>
        {load.value !== undefined && <Actions backend={load.value} onChanged={load.reload} />}
      </div>
      <Loaded load={load}>
        {(backend) => (
          <>
            <p class="mono plain-text">{addressOf(backend)}</p>
            <DrainRules backend={backend.id} statuses={backend.status} onChanged={load.reload} />
          </>
        )}
      </Loaded>
    </div>
  );
}

function Actions({ backend, onChanged }: { readonly backend: Backend; readonly onChanged: () => void }) {
  const { id, name } = backend;
  const [isTested, setTested] = useState(false);
  const test = async () => {
    setTested(true);
    await attempt(async () => {
      const { connected, reason } = await callApi("testBackend", { path: { id } });
      say(connected ? "Connected" : `Not connected: ${reason ?? "no reason is known"}`);
    });
    setTested(false);
  };
  return (
    <>
      <Button text="Test the connection" disabled={isTested} onClick={() => void test()} />
      <EditAndDelete
        kind="drain"
        form={(onSaved) => <DrainForm id={id} draft={readBackendDraft(backend)} onSaved={onSaved} />}
        onSaved={onChanged}
        consequence={`“${name}” ends with its rules; events that wait for it are not sent.`}
        remove={() => callApi("deleteBackend", { path: { id } })}
        onRemoved={() => navigate("drains")}
      />
    </>
  );
}
