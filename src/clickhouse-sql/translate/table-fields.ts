import type { Expression } from "../../googlesql/ast.ts";
import type { Span } from "../../googlesql/diagnostic.ts";
import { exactField } from "../../googlesql/record-fields.ts";
import { type RecordType, recordIn, type SqlType } from "../../googlesql/types.ts";
import { call, cast, identifier, integer, text } from "../../lql/sql-nodes.ts";
import type { Kind } from "./typed.ts";

/** A table of the endpoint, and its columns' types. */
export interface LogsTable {
  readonly name: string;
  readonly columns: ReadonlyMap<string, SqlType>;
}

/** A field of a table's rows: NULL where a row lacks it. */
export interface ReadField {
  /** As text. */
  readonly text: Expression;
  /** As the number that it is in all events. */
  readonly number: { readonly node: Expression; readonly kind: Kind } | undefined;
}

const base: ReadonlySet<string> = new Set(["id", "timestamp", "event_message", "metadata"]);
/** Keys of one row's map at most. */
const maxKeys = 1_000;

/**
 * The field that a key of `log_attributes` names: of `metadata`, whose name the key leaves out, else another column.
 * Of several records in one place it is that of the first. Undefined where no event has carried it.
 */
export function readField({ columns }: LogsTable, row: Expression, key: string, span: Span): ReadField | undefined {
  const path = key.split(".");
  const metadata = columns.get("metadata");
  const inner = metadata === undefined ? undefined : descend(fieldOf(row, "metadata", span), metadata, path, span);
  if (inner !== undefined) return toField(inner.value, inner.type, span);
  const type = base.has(path[0] ?? "") ? undefined : columns.get(path[0] ?? "");
  if (type === undefined) return undefined;
  const outer = descend(fieldOf(row, path[0] ?? "", span), type, path.slice(1), span);
  return outer === undefined ? undefined : toField(outer.value, outer.type, span);
}

/** Every key that rows of a table may have. */
export function listKeys({ columns }: LogsTable): readonly string[] {
  const keys: string[] = [];
  const visit = (type: SqlType, path: string) => {
    const record = recordIn(type);
    const isLeaf = record === undefined || type.kind === "MIXED";
    if (isLeaf && path !== "" && type.kind !== "UNKNOWN") keys.push(path);
    for (const field of record?.fields ?? []) {
      if (keys.length < maxKeys) visit(field.type, path === "" ? field.name : `${path}.${field.name}`);
    }
  };
  for (const [name, type] of columns) {
    if (name === "metadata") visit(type, "");
    else if (!base.has(name)) visit(type, name);
  }
  return [...new Set(keys)].slice(0, maxKeys);
}

interface Place {
  readonly value: Expression;
  readonly type: SqlType;
}

function descend(from: Expression, fromType: SqlType, path: readonly string[], span: Span): Place | undefined {
  let place: Place = { value: from, type: fromType };
  for (const name of path) {
    const record = recordIn(place.type);
    const type = record === undefined ? undefined : typeOf(record, name);
    if (type === undefined) return undefined;
    place = { value: fieldOf(firstOf(place, span), name, span), type };
  }
  return place;
}

function typeOf(record: RecordType, name: string): SqlType | undefined {
  return exactField(record, name)?.type ?? (record.isOpen ? { kind: "MIXED" } : undefined);
}

/** The first of a list of records. */
function firstOf({ value, type }: Place, span: Span): Expression {
  if (type.kind !== "ARRAY") return value;
  return { kind: "Subscript", base: value, mode: "SAFE_OFFSET", index: integer(0, span), span };
}

function fieldOf(base: Expression, name: string, span: Span): Expression {
  return { kind: "FieldAccess", base, field: identifier(name, span), span };
}

function toField(value: Expression, type: SqlType, span: Span): ReadField | undefined {
  const asText = { text: cast(value, "STRING", false, span), number: undefined };
  switch (type.kind) {
    case "STRING":
      return { text: value, number: undefined };
    case "INT64":
      return { ...asText, number: { node: value, kind: "integer" } };
    case "FLOAT64":
      return { ...asText, number: { node: value, kind: "float" } };
    case "ARRAY": {
      if (recordIn(type) !== undefined) return undefined;
      const json = call("TO_JSON_STRING", [value], span);
      return {
        text: call("NULLIF", [call("NULLIF", [json, text("[]", span)], span), text("null", span)], span),
        number: undefined,
      };
    }
    case "UNKNOWN":
    case "RECORD":
    case "STRUCT":
      return undefined;
    default:
      return asText;
  }
}
