import type { Column, Expr, Scan } from "../../../googlesql/resolved.ts";
import { findColumn } from "../../lowering/find-column.ts";
import { type LateStep, lateColumns, type PushedPart, type RecordAlias } from "./part.ts";

/** The definition's own part, its columns readable under the scan's ids too. */
export function asCte(scan: Scan & { kind: "Cte" }, part: PushedPart, aliases: Map<number, RecordAlias>): PushedPart {
  const late = lateColumns(part);
  const { builder } = part;
  const waiting: { column: Column; expression: Expr }[] = [];
  scan.columns.forEach((column, index) => {
    const output = scan.cte.output[index];
    if (output === undefined) return;
    if (late.has(output.id)) {
      const span = { start: 0, end: 0 };
      waiting.push({ column, expression: { kind: "Column", type: output.type, column: output, span } });
      return;
    }
    const found = findColumn(builder, output.id);
    if (found !== undefined) builder.bindings.set(column.id, found);
    const alias = aliases.get(output.id);
    if (alias !== undefined) aliases.set(column.id, { ...alias, column });
  });
  const steps: readonly LateStep[] = waiting.length === 0 ? [] : [{ kind: "Project", computed: waiting }];
  const outputs = new Map(scan.cte.output.map((output, index) => [output.id, scan.columns[index]]));
  const order = part.order.map((key) => ({ ...key, column: outputs.get(key.column.id) ?? key.column }));
  return { ...part, scan, late: [...part.late, ...steps], order };
}
