/** Values of fields out of the JSON text of a record: the same as the field's column has, or would have. */

import { recordIn, type SqlType } from "../../../../googlesql/types.ts";
import { computeOnce } from "../../functions/compute-once.ts";
import { textSql } from "../../sql/atoms.ts";
import { castTo } from "../../sql/forms.ts";
import { type Sql, sql } from "../../sql/sql.ts";
import { VARCHAR } from "../../sql/types.ts";
import { fieldAt, fieldSteps, isRecordType, type JsonPlace, readPlace } from "./json-place.ts";
import { physicalTypeSql, printNull } from "./literals.ts";

/** A field of the type, at `path` below a value of the type `base`. */
export interface FieldBelow {
  readonly base: SqlType;
  readonly path: readonly string[];
  readonly type: SqlType;
}

/** The field below the value at the place. */
export function extractField({ text, steps }: JsonPlace, { base, path, type }: FieldBelow): Sql {
  const place = { text, steps: [...steps, ...fieldSteps(base, path)] };
  return fieldAt(base, path)?.isDeclared === true ? extractDeclared(place, type) : extractTyped(place, type);
}

/** A value of the type, which the schema knows to be the type of all values there. */
export function extractTyped(place: JsonPlace, type: SqlType): Sql {
  if (type.kind === "UNKNOWN") return printNull(type);
  if (isRecordType(type) || type.kind === "MIXED") return castTo(readPlace(place, "json_extract"), VARCHAR);
  if (type.kind === "ARRAY") return sql`TRY_CAST(${readPlace(place, "json_extract")} AS ${physicalTypeSql(type)})`;
  const value = readPlace(place, "json_extract_string");
  return type.kind === "STRING" ? value : sql`TRY_CAST(${value} AS ${physicalTypeSql(type)})`;
}

const INTEGER = "-?[0-9]{1,19}";
const NUMBER = String.raw`-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?`;

/**
 * A value of a declared field, whatever was sent: what does not become the type without a loss is NULL (see
 * `schema/declared-value.ts`).
 */
function extractDeclared(place: JsonPlace, type: SqlType): Sql {
  const fitting = (pattern: string) => {
    return computeOnce([readPlace(place, "json_extract_string")], "declared", (v) => {
      return sql`
        CASE WHEN regexp_full_match(${v}, ${textSql(pattern)})
        THEN TRY_CAST(${v} AS ${physicalTypeSql(type)}) END
      `;
    });
  };
  switch (type.kind) {
    case "INT64":
      return fitting(INTEGER);
    case "FLOAT64":
      return computeOnce([fitting(NUMBER)], "finite", (v) => sql`CASE WHEN isfinite(${v}) THEN ${v} END`);
    case "BOOL":
      return sql`CASE ${readPlace(place, "json_extract_string")} WHEN 'true' THEN true WHEN 'false' THEN false END`;
    case "STRING":
      return computeOnce([castTo(readPlace(place, "json_extract"), VARCHAR)], "declared", (v) => {
        const isContainer = sql`starts_with(${v}, '[') OR starts_with(${v}, '{')`;
        return sql`
          CASE WHEN starts_with(${v}, '"') THEN json_extract_string(${v}, '') WHEN NOT (${isContainer})
          THEN ${v} END
        `;
      });
    default:
      return extractTyped(place, type);
  }
}

/**
 * A field below a value of several shapes that cannot be traced to a table: it is the JSON of an element, which is an
 * object, or of a field, where an object stands in an array.
 */
export function extractBelowMixed(text: Sql, field: FieldBelow): Sql {
  return computeOnce([text], "below", (v) => {
    const element = extractField({ text: v, steps: [] }, { ...field, base: recordIn(field.base) ?? NO_FIELDS });
    return sql`CASE WHEN starts_with(${v}, '{') THEN ${element} ELSE ${extractField({ text: v, steps: [] }, field)} END`;
  });
}

const NO_FIELDS: SqlType = { kind: "RECORD", fields: [], isRepeated: false, isOpen: false };
