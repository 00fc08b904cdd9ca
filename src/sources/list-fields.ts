import type { TableDefinition } from "../googlesql/relation.ts";
import { formatType, recordIn, type SqlType } from "../googlesql/types.ts";

/** A field of a source, at any depth. */
export interface SourceField {
  /** Dotted, e.g. `metadata.request.path`. */
  readonly path: string;
  /** As GoogleSQL writes it. */
  readonly type: string;
}

/** Every field that holds values, in the table's order; records are listed by the paths below them. */
export function listFields(table: TableDefinition): readonly SourceField[] {
  return table.columns.flatMap(({ name, type }) => fieldsBelow(name, type));
}

function fieldsBelow(path: string, type: SqlType): readonly SourceField[] {
  const record = recordIn(type);
  const below = record?.fields.flatMap((field) => fieldsBelow(`${path}.${field.name}`, field.type)) ?? [];
  // A field of several shapes has values of its own beside those of its records.
  return record === undefined || type.kind === "MIXED" ? [{ path, type: formatType(type) }, ...below] : below;
}
