/** `$redact(value, detectors)`: what a consumer reads of a saved query's tables, with personal data taken out of it. */
import type { CallExpr } from "../../../../googlesql/resolved.ts";
import type { SqlType } from "../../../../googlesql/types.ts";
import { hintOf, parseDetectors } from "../../../../redaction/detector.ts";
import { quoteString, structFieldName } from "../../sql-text.ts";
import { fragmentOf } from "../fragments/fragment.ts";
import type { RecordSource } from "../scope.ts";
import { fieldAt, isRecordType } from "./json-place.ts";

/** The detectors of a call, as the resolver wrote them. */
export function detectorsOf(call: CallExpr): string {
  const names = call.arguments[1];
  if (names?.kind !== "Literal" || names.value === null) throw new Error("$redact lists its detectors");
  return names.value;
}

/** The value of this type, redacted. What holds no text stays as it is. */
export function printRedacted(sql: string, type: SqlType, detectors: string): string {
  if (isRecordType(type) || type.kind === "JSON" || type.kind === "MIXED")
    return printTextual("lw_redact_json", sql, detectors);
  switch (type.kind) {
    case "STRING":
      return printTextual("lw_redact", sql, detectors);
    case "ARRAY": {
      const each = printRedacted("lw_value", type.element, detectors);
      return each === "lw_value" ? sql : `list_transform(${sql}, lambda lw_value: ${each})`;
    }
    case "STRUCT": {
      const fields = type.fields.map((field, index) => {
        const name = structFieldName(index);
        return `${name} := ${printRedacted(`struct_extract(${sql}, '${name}')`, field.type, detectors)}`;
      });
      return fields.length === 0
        ? sql
        : `CASE WHEN ${sql} IS NULL THEN NULL ELSE struct_pack(${fields.join(", ")}) END`;
    }
    default:
      return sql;
  }
}

/** A native look at the text spares most values the way into JavaScript. */
function printTextual(udf: string, sql: string, detectors: string): string {
  const call = `${udf}(${sql}, ${quoteString(detectors)})`;
  // A sub-query would run several times.
  if (fragmentOf(sql).holdsQuery) return call;
  const hint = hintOf(parseDetectors(detectors));
  // In JSON, characters may stand as escapes.
  const pattern = udf === "lw_redact_json" ? `${hint}|\\\\u` : hint;
  return `CASE WHEN regexp_matches(${sql}, ${quoteString(pattern)}) THEN ${call} ELSE ${sql} END`;
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
