import { useState } from "preact/hooks";
import { runEndpoint } from "../api/client.ts";
import { Loaded } from "../components/loaded.tsx";
import { Empty } from "../components/notices.tsx";
import { timeOf } from "../components/row-grid.tsx";
import { useLoad } from "../lib/use-load.ts";
import { lineOf, type Row, textOf, valueAt } from "../lib/values.ts";
import { linkTo } from "../state/route.ts";

const scope = "source:logweir.audit";
const kinds = [
  ["", "Everything"],
  ["endpoint.run", "Runs"],
  ["token.", "Tokens"],
  ["endpoint.", "Endpoints"],
  ["access.refused", "Refused"],
] as const;

/** Who did what, the newest first. */
export function AuditPage() {
  const [kind, setKind] = useState<string>("");
  const load = useLoad(
    async (signal) => {
      const lql = kind === "" ? "s:*" : `m.action:~"^${kind.replaceAll(".", "\\\\.")}" s:*`;
      const response = await runEndpoint(scope, { lql }, { signal });
      return ((await response.json()) as { readonly result: readonly Row[] }).result;
    },
    [kind],
  );
  const cell = (row: Row, name: string) => lineOf(valueAt(row, `metadata.${name}`), 160);
  return (
    <div class="page">
      <div class="page-head">
        <h1>Audit</h1>
        <fieldset class="segments" aria-label="What to show">
          {kinds.map(([value, label]) => (
            <button type="button" key={label} aria-pressed={kind === value} onClick={() => setKind(value)}>
              {label}
            </button>
          ))}
        </fieldset>
        <a href={linkTo("explore", new URLSearchParams({ s: scope, r: "24h" }))}>Explore it</a>
      </div>
      <Loaded load={load}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title="Nothing is recorded">
              <p>Runs, changes and refused calls appear here within two seconds.</p>
            </Empty>
          ) : (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
            <section class="card scroll-x" tabIndex={0} aria-label="What was done">
              <table class="table">
                <thead>
                  <tr>
                    <th>Time</th>
                    <th>Who</th>
                    <th>What</th>
                    <th>On</th>
                    <th>Outcome</th>
                    <th class="number">Rows</th>
                    <th class="number">Times</th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map((row) => (
                    <tr key={textOf(row.id)}>
                      <td class="mono" style={{ whiteSpace: "nowrap" }}>
                        {timeOf(row).slice(0, 19)}
                      </td>
                      <td class="mono">{cell(row, "actor")}</td>
                      <td>{cell(row, "action")}</td>
                      <td class="mono">{cell(row, "endpoint") || cell(row, "target") || cell(row, "route")}</td>
                      <td>
                        <span class={cell(row, "outcome") === "ok" ? "badge success" : "badge warning"}>
                          {cell(row, "outcome") || "done"}
                        </span>
                      </td>
                      <td class="number">{cell(row, "rows")}</td>
                      <td class="number">{cell(row, "count")}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </section>
          )
        }
      </Loaded>
    </div>
  );
}
