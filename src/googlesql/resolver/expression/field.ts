import type { Identifier } from "../../ast.ts";
import { fieldNamed, structFieldsNamed } from "../../record-fields.ts";
import type { Expr } from "../../resolved.ts";
import { arrayOf, INT64, JSON_TYPE, type RecordType, type SqlType, STRING, UNKNOWN } from "../../types.ts";
import { asMixed, typeName } from "../call/coerce.ts";
import { errorExpr, isErrorExpr, nullExpr, type Resolution } from "../resolution.ts";
import { call } from "./expr.ts";
import { literal } from "./literal.ts";

/** `base.field`: a field of a STRUCT or a log record, or a member of a JSON object. */
export function accessField(resolution: Resolution, base: Expr, field: Identifier): Expr {
  const span = { start: base.span.start, end: field.span.end };
  if (isErrorExpr(base)) return errorExpr(span);
  const { type } = base;
  switch (type.kind) {
    case "STRUCT": {
      const [index, ...others] = structFieldsNamed(type, field.name);
      if (index !== undefined) {
        if (others.length > 0)
          return resolution.fail("ambiguous_name", `Struct field name ${field.name} is ambiguous`, field.span, {
            name: field.name,
          });
        return { kind: "Field", base, index, type: type.fields[index]?.type ?? UNKNOWN, span };
      }
      const known = type.fields.flatMap(({ name, type: of }) => (name === undefined ? [] : { name, type: of }));
      resolution.reportUnknown(`Field name ${field.name} does not exist in ${typeName(type)}`, field, known);
      return errorExpr(field.span);
    }
    case "RECORD":
      return recordField(resolution, base, type, field);
    case "MIXED":
      return recordField(resolution, base, type.record ?? NO_FIELDS, field);
    case "JSON":
      return call("$json_subscript", [base, literal(STRING, field.name, field.span)], JSON_TYPE, span);
    case "UNKNOWN":
      return base.kind === "Parameter" ? cannotAccess(resolution, base, field) : nullExpr(span);
    case "ARRAY":
      if (type.element.kind === "RECORD") return recordField(resolution, base, type.element, field);
      if (type.element.kind === "UNKNOWN") return nullExpr(span);
      return cannotAccess(resolution, base, field);
    default:
      return cannotAccess(resolution, base, field);
  }
}

/**
 * The same on the way of UNNEST, which goes through arrays: `items.prices` has the prices of all items, one after
 * another.
 */
export function accessFlattened(resolution: Resolution, base: Expr, field: Identifier): Expr {
  if (base.type.kind !== "ARRAY" || (base.type.element.kind !== "STRUCT" && base.type.element.kind !== "JSON"))
    return accessField(resolution, base, field);
  const span = { start: base.span.start, end: field.span.end };
  const column = resolution.newColumn("element", base.type.element);
  const body = accessField(resolution, { kind: "Variable", type: column.type, column, span }, field);
  if (isErrorExpr(body)) return body;
  const lambda: Expr = { kind: "Lambda", type: body.type, parameters: [column], body, span };
  if (body.type.kind === "ARRAY") return call("$array_flatten", [base, lambda], body.type, span);
  return call("$array_transform", [base, lambda], arrayOf(body.type), span);
}

/** The type of a field that an open record does not list: it may be of any shape. */
const UNLISTED: SqlType = { kind: "MIXED", record: { kind: "RECORD", fields: [], isRepeated: true, isOpen: true } };

/** Where no record was seen, none has a field. */
const NO_FIELDS: RecordType = { kind: "RECORD", fields: [], isRepeated: false, isOpen: false };

function cannotAccess(resolution: Resolution, base: Expr, field: Identifier): Expr {
  // A field that never held a record has no fields of its own.
  if (asMixed(resolution, base) !== undefined) return nullExpr({ start: base.span.start, end: field.span.end });
  const hint = base.type.kind === "ARRAY" ? "; read one element, or use UNNEST" : "";
  return resolution.fail(
    "type_mismatch",
    `Cannot access field ${field.name} on a value with type ${typeName(base.type)}${hint}`,
    field.span,
    { name: field.name },
  );
}

/** The record's own field: exactly spelt first, then in any case. */
function recordField(resolution: Resolution, base: Expr, record: RecordType, { name, span: at }: Identifier): Expr {
  const found = fieldNamed(record, name) ?? { name, type: record.isOpen ? UNLISTED : UNKNOWN };
  const span = { start: base.span.start, end: at.end };
  const inner = base.kind === "RecordField" ? base : firstElementOf(base);
  if (found.type === UNKNOWN) noteUnknown(resolution, inner, record, { name, span: at });
  if (inner.kind === "RecordField")
    return { kind: "RecordField", base: inner.base, path: [...inner.path, found.name], type: found.type, span };
  return { kind: "RecordField", base: inner, path: [found.name], type: found.type, span };
}

/**
 * Warns of a field that reads as NULL, with the record that it was looked for in; not where nothing is known of the
 * record at all.
 */
function noteUnknown(
  resolution: Resolution,
  base: Expr,
  record: RecordType,
  field: Pick<Identifier, "name" | "span">,
): void {
  if (record.fields.length === 0) return;
  const owner = base.kind === "RecordField" ? base.path.at(-1) : base.kind === "Column" ? base.column.name : undefined;
  const names = record.fields.map(({ name }) => name);
  resolution.warn(
    `no event has carried ${owner === undefined ? "" : `${owner}.`}${field.name}`,
    field.span,
    field.name,
    names,
  );
}

/** `x[0]` of an ARRAY<RECORD> x, below a field access, is x itself: fields are read from the first element anyhow. */
function firstElementOf(base: Expr): Expr {
  if (base.kind !== "Call" || base.function !== "$safe_array_at_offset") return base;
  const [array, index] = base.arguments;
  if (array === undefined || array.type.kind !== "ARRAY" || array.type.element.kind !== "RECORD") return base;
  return index?.kind === "Literal" && index.type.kind === INT64.kind && index.value === "0" ? array : base;
}
