import type { Span } from "../../diagnostic.ts";
import type { Column, ComputedColumn, CteDefinition, Expr } from "../../resolved.ts";
import { type SqlType, STRING } from "../../types.ts";
import type { CteBinding } from "../context.ts";
import { call, columnExpr } from "../expression/expr.ts";
import type { Resolution } from "../resolution.ts";

const NOWHERE: Span = { start: 0, end: 0 };

/**
 * The common table expression as a consumer reads it: one of its own around the saved one, in which every output that
 * can hold text goes through `$redact`. The saved query's other expressions go on reading the saved one.
 */
export function redactBinding(resolution: Resolution, binding: CteBinding, detectors: string): CteBinding {
  const { definition } = binding;
  if (definition === undefined) return binding;
  const columns = definition.output.map((column) => resolution.copyColumn(column));
  const computed: ComputedColumn[] = [];
  const output = columns.map((column) => {
    if (!holdsText(column.type)) return column;
    const redacted = resolution.copyColumn(column);
    computed.push({ column: redacted, expression: redactColumn(column, detectors) });
    return redacted;
  });
  const shown: CteDefinition = {
    id: resolution.ids.nextCte++,
    name: definition.name,
    scan: { kind: "Project", input: { kind: "Cte", cte: definition, columns }, computed },
    output,
    isRecursive: false,
  };
  const outputs = new Map(definition.output.map((column, index) => [column.id, output[index]]));
  const find = (column: Column) => outputs.get(column.id) ?? column;
  return {
    ...binding,
    definition: shown,
    columns: binding.columns.map((named) => ({ ...named, column: find(named.column) })),
    order: binding.order?.map((key) => ({ ...key, column: find(key.column) })),
  };
}

function redactColumn(column: Column, detectors: string): Expr {
  const list: Expr = { kind: "Literal", value: detectors, type: STRING, span: NOWHERE };
  return call("$redact", [columnExpr(column, NOWHERE), list], column.type, NOWHERE);
}

function holdsText(type: SqlType): boolean {
  switch (type.kind) {
    case "STRING":
    case "JSON":
    case "RECORD":
    case "MIXED":
      return true;
    case "ARRAY":
      return holdsText(type.element);
    case "STRUCT":
      return type.fields.some((field) => holdsText(field.type));
    default:
      return false;
  }
}
