import { arrayOf, type SqlType } from "../../googlesql/types.ts";
import type { OutputColumn } from "../contract/query-engine.ts";

/** By the columns of a compiled query, which runs many times. */
const written = new WeakMap<readonly OutputColumn[], readonly OutputColumn[]>();

/** A query's columns with their written types. */
export function writtenColumns(columns: readonly OutputColumn[]): readonly OutputColumn[] {
  const known = written.get(columns);
  if (known !== undefined) return known;
  const made = columns.map(({ name, type }) => ({ name, type: writtenType(type) }));
  written.set(columns, made);
  return made;
}

/**
 * The type as far as writing its values needs it: a record's value is its JSON text already, whatever fields it has,
 * and thousands of fields are longer than many an answer.
 */
function writtenType(type: SqlType): SqlType {
  switch (type.kind) {
    case "RECORD":
      return type.fields.length === 0 ? type : { ...type, fields: [] };
    case "MIXED":
      return type.record === undefined ? type : { kind: "MIXED" };
    case "ARRAY":
      return arrayOf(writtenType(type.element));
    case "STRUCT":
      return { ...type, fields: type.fields.map((field) => ({ ...field, type: writtenType(field.type) })) };
    default:
      return type;
  }
}
