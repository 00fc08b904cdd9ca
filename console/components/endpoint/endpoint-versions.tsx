import { useState } from "preact/hooks";
import { callApi } from "../../api/client.ts";
import type { Endpoint, Version } from "../../api/operations.ts";
import type { DiffLine } from "../../lib/changed-lines.ts";
import { formatAgo } from "../../lib/time.ts";
import { useAction } from "../../lib/use-form.ts";
import { useLoad } from "../../lib/use-load.ts";
import { say } from "../../state/toasts.ts";
import { Button } from "../button.tsx";
import { Dialog } from "../dialog.tsx";
import { Card } from "../layout.tsx";
import { Loaded } from "../loaded.tsx";
import { ErrorNotice } from "../notices.tsx";
import { DiffView } from "./diff-view.tsx";

interface EndpointVersionsProps {
  readonly endpoint: Endpoint;
  readonly onChanged: () => void;
}

const verbs: Readonly<Record<string, string>> = { create: "created", update: "changed", rollback: "rolled back" };

/** Every version, what each changed, and the way back to it. */
export function EndpointVersions({ endpoint, onChanged }: EndpointVersionsProps) {
  const [shown, setShown] = useState<number | undefined>();
  const path = { endpoint: endpoint.id };
  const load = useLoad((signal) => callApi("listVersions", { path, signal }), [endpoint.id, endpoint.version]);
  const { error, run: rollBack } = useAction(async (version: number) => {
    await callApi("rollBack", { path: { ...path, version: String(version) } });
    say(`Rolled back to version ${version}`);
    onChanged();
  });
  return (
    <Card label="Versions">
      {error !== undefined && <ErrorNotice error={error} />}
      <Loaded load={load}>
        {(versions: readonly Version[]) => (
          <ul class="stack" style={{ gap: "6px" }}>
            {versions.map(({ version, current, created_at: at, author, action, changed }) => (
              <li key={version} class="row wrap">
                <strong>v{version}</strong>
                {current && <span class="badge success">current</span>}
                <span class="grow soft">
                  {verbs[action] ?? action} by {nameOf(author)}, {formatAgo(Date.parse(at), Date.now())}
                  {changed.length > 0 && `: ${changed.join(", ")}`}
                </span>
                {!current && (
                  <>
                    <Button class="small" text="Compare" onClick={() => setShown(version)} />
                    {endpoint.origin === "api" && (
                      <Button class="small" text="Roll back" onClick={() => void rollBack(version)} />
                    )}
                  </>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {shown !== undefined && (
        <Dialog title={`Version ${shown} and the current one`} onClose={() => setShown(undefined)}>
          <Comparison id={endpoint.id} from={shown} to={endpoint.version ?? 1} />
        </Dialog>
      )}
    </Card>
  );
}

/** Names a file without its folder, which only matters on the service's machine. */
function nameOf(author: string): string {
  return author.startsWith("file:") ? `the file ${author.split("/").at(-1) ?? ""}` : author;
}

function Comparison({ id, from, to }: { readonly id: string; readonly from: number; readonly to: number }) {
  const path = { endpoint: id, version: String(from), other: String(to) };
  const load = useLoad((signal) => callApi("diffVersions", { path, signal }), [id, from, to]);
  return (
    <Loaded load={load}>
      {({ breaking, changes, query }) => (
        <div class="stack">
          <span class={breaking ? "badge danger" : "badge success"}>
            {breaking ? "breaks callers" : "breaks no caller"}
          </span>
          <ul>
            {changes.map(({ area, name, change, from: before, to: after }) => (
              <li key={`${area}.${name}`}>
                {area} <span class="mono">{name}</span> {change}: {before ?? "none"} → {after ?? "none"}
              </li>
            ))}
          </ul>
          <DiffView lines={query as readonly unknown[] as readonly DiffLine[]} />
        </div>
      )}
    </Loaded>
  );
}
