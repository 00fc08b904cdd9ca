/** `$redact(value, detectors)`: what a consumer reads of a saved query's tables, with personal data taken out of it. */

import type { CallExpr } from "../../../../googlesql/resolved.ts";
import type { SqlType } from "../../../../googlesql/types.ts";
import { hintOf, parseDetectors } from "../../../../redaction/detector.ts";
import { nameSql, textSql, variableSql } from "../../sql/atoms.ts";
import { fieldOf, lambda, structFieldSql } from "../../sql/forms.ts";
import { joinSql, type Sql, sql } from "../../sql/sql.ts";
import type { RecordSource } from "../scope.ts";
import { fieldAt, isRecordType } from "./json-place.ts";

/** The detectors of a call, as the resolver wrote them. */
export function detectorsOf(call: CallExpr): string {
  const names = call.arguments[1];
  if (names?.kind !== "Literal" || names.value === null) throw new Error("$redact lists its detectors");
  return names.value;
}

/** The value of this type, redacted. A value without text stays unchanged. */
export function printRedacted(value: Sql, type: SqlType, detectors: string): Sql {
  if (isRecordType(type) || type.kind === "JSON" || type.kind === "MIXED")
    return printTextual("lw_redact_json", value, detectors);
  switch (type.kind) {
    case "STRING":
      return printTextual("lw_redact", value, detectors);
    case "ARRAY": {
      const item = variableSql("lw_value");
      const each = printRedacted(item, type.element, detectors);
      return each === item ? value : sql`list_transform(${value}, ${lambda(item, each)})`;
    }
    case "STRUCT": {
      const fields = type.fields.map((field, index) => {
        const redacted = printRedacted(fieldOf(value, index), field.type, detectors);
        return sql`${structFieldSql(index)} := ${redacted}`;
      });
      return fields.length === 0
        ? value
        : sql`CASE WHEN ${value} IS NULL THEN NULL ELSE struct_pack(${joinSql(fields, ", ")}) END`;
    }
    default:
      return value;
  }
}

/** A native look at the text spares most values the way into JavaScript. */
function printTextual(udf: string, value: Sql, detectors: string): Sql {
  const call = sql`${nameSql(udf)}(${value}, ${textSql(detectors)})`;
  // A sub-query would run several times.
  if (value.holdsQuery) return call;
  const hint = hintOf(parseDetectors(detectors));
  return sql`CASE WHEN regexp_matches(${value}, ${textSql(hint)}) THEN ${call} ELSE ${value} END`;
}

/** The record's fields, each redacted as what its type says. */
export function redactedSource(base: RecordSource, type: SqlType, detectors: string): RecordSource {
  return {
    leaf: (path, as) => {
      // A text among values of several shapes is redacted before it is taken for anything.
      if (as !== undefined) return undefined;
      const leafType = fieldAt(type, path)?.type;
      const leaf = leafType === undefined ? undefined : base.leaf(path);
      return leaf === undefined || leafType === undefined ? undefined : printRedacted(leaf, leafType, detectors);
    },
    presence: base.presence,
    json: () => {
      const { text, steps } = base.json();
      return { text: printTextual("lw_redact_json", text, detectors), steps };
    },
  };
}
