import type { Expr, Scan } from "../../resolved.ts";
import { BOOL, type SqlType, STRING } from "../../types.ts";
import { call, truth } from "../expression/expr.ts";
import type { Resolution } from "../resolution.ts";

type Table = Extract<Scan, { kind: "Table" }>;

/** The scan with those rows only that the catalogue lets it read: of the tenant whose name its tenant field holds. */
export function filterTenant(resolution: Resolution, scan: Table): Scan {
  const { table, place } = scan;
  const rule = resolution.tables.findTenant?.(table, place);
  if (rule === undefined) return scan;
  const { span } = place;
  const field = readTenantField(scan);
  // Rows of a table without such a field have no tenant.
  if (field === undefined) return { kind: "Filter", input: scan, predicate: truth(false, span) };
  if (rule.kind === "parameter") resolution.usedParameters.set(rule.name, STRING);
  const tenant: Expr =
    rule.kind === "parameter"
      ? { kind: "Parameter", key: rule.name, type: STRING, span }
      : { kind: "Literal", type: STRING, value: rule.value, span };
  return { kind: "Filter", input: scan, predicate: call("$equal", [field, tenant], BOOL, span) };
}

/** The tenant field's value; its path may be spelt otherwise than the table has it. */
function readTenantField({ table, columns, place: { span } }: Table): Expr | undefined {
  const [head = "", ...rest] = table.tenantField?.split(".") ?? [];
  const column = findSpelt(columns, head, ({ source }) => source)?.column;
  if (column === undefined) return undefined;
  const path: string[] = [];
  let { type }: { type: SqlType } = column;
  for (const name of rest) {
    const record = type.kind === "ARRAY" ? type.element : type;
    const field = record.kind === "RECORD" ? findSpelt(record.fields, name, (each) => each.name) : undefined;
    if (field === undefined) return undefined;
    path.push(field.name);
    type = field.type;
  }
  const base: Expr = { kind: "Column", column, type: column.type, span };
  return path.length === 0 ? base : { kind: "RecordField", base, path, type, span };
}

/** Exactly so spelt first, then in any case. */
function findSpelt<T>(items: readonly T[], name: string, nameOf: (item: T) => string): T | undefined {
  const folded = name.toLowerCase();
  return items.find((item) => nameOf(item) === name) ?? items.find((item) => nameOf(item).toLowerCase() === folded);
}
