import { useState } from "preact/hooks";
import { runEndpoint } from "../api/client.ts";
import { Segments } from "../components/layout.tsx";
import { Loaded } from "../components/loaded.tsx";
import { Empty } from "../components/notices.tsx";
import { timeOf } from "../components/rows/grid-row.tsx";
import { TableCard } from "../components/table-card.tsx";
import { useLoad } from "../lib/use-load.ts";
import { lineOf, type Row, textOf, valueAt } from "../lib/values.ts";
import { linkTo } from "../state/route.ts";

const scope = "source:logweir.audit";
const kinds: readonly (readonly [string, string])[] = [
  ["", "Everything"],
  ["endpoint.run", "Runs"],
  ["token.", "Tokens"],
  ["endpoint.", "Endpoints"],
  ["access.refused", "Refused"],
];

const headings = ["Time", "Who", "What", "On", "Outcome", { ofNumbers: "Rows" }, { ofNumbers: "Times" }];

/** Who did what, the newest first. */
export function AuditPage() {
  const [kind, setKind] = useState("");
  const load = useLoad(
    async (signal) => {
      const lql = kind === "" ? "s:*" : `m.action:~"^${kind.replaceAll(".", "\\\\.")}" s:*`;
      const response = await runEndpoint(scope, { lql }, { signal });
      return ((await response.json()) as { readonly result: readonly Row[] }).result;
    },
    [kind],
  );
  return (
    <div class="page">
      <div class="page-head">
        <h1>Audit</h1>
        <Segments label="What to show" choices={kinds} value={kind} onChange={setKind} />
        <a href={linkTo("explore", new URLSearchParams({ s: scope, r: "24h" }))}>Explore it</a>
      </div>
      <Loaded load={load}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title="Nothing is recorded">
              <p>Runs, changes and refused calls appear here within two seconds.</p>
            </Empty>
          ) : (
            <TableCard label="What was done" headings={headings}>
              {rows.map((row) => (
                <AuditLine key={textOf(row.id)} row={row} />
              ))}
            </TableCard>
          )
        }
      </Loaded>
    </div>
  );
}

function AuditLine({ row }: { readonly row: Row }) {
  const cell = (name: string) => lineOf(valueAt(row, `metadata.${name}`), 160);
  return (
    <tr>
      <td class="mono" style={{ whiteSpace: "nowrap" }}>
        {timeOf(row).slice(0, 19)}
      </td>
      <td class="mono name">{cell("actor")}</td>
      <td class="name">{cell("action")}</td>
      <td class="mono" style={{ minWidth: "180px" }}>
        {cell("endpoint") || cell("target") || cell("route")}
      </td>
      <td>
        <span class={cell("outcome") === "ok" ? "badge success" : "badge warning"}>{cell("outcome") || "done"}</span>
      </td>
      <td class="number">{cell("rows")}</td>
      <td class="number">{cell("count")}</td>
    </tr>
  );
}
