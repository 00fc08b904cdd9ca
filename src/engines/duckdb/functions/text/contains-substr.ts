/** CONTAINS_SUBSTR: a search without distinction of case or of the form of characters, in any field of a value. */
import type { SqlType } from "../../../../googlesql/types.ts";
import { normalizeAndCasefold } from "../../../../semantics/text/unicode-text.ts";
import { quoteString, raiseError, structFieldName } from "../../sql-text.ts";
import { valueText } from "../cast/value-text.ts";
import { computeOnce } from "../compute-once.ts";
import type { CallContext } from "../types.ts";
import { udfList } from "../udf-list.ts";

/** A list of all scalar texts in a value, NULLs among them. */
function textsOf(type: SqlType, value: string, scope: string, timeZone: string, depth: number): string {
  switch (type.kind) {
    case "STRUCT":
      return computeOnce([value], `fields${depth}`, (v) => {
        const lists = type.fields.map((field, index) =>
          textsOf(field.type, `struct_extract(${v}, '${structFieldName(index)}')`, scope, timeZone, depth + 1),
        );
        return lists.length === 0 ? "CAST([] AS VARCHAR[])" : `flatten([${lists.join(", ")}])`;
      });
    case "ARRAY": {
      if (type.element.kind === "RECORD") return `coalesce(lw_json_texts(${value}, ${scope}), [NULL])`;
      const element = `lw_found${depth}`;
      const list = textsOf(type.element, element, scope, timeZone, depth + 1);
      return `coalesce(flatten(list_transform(${value}, lambda ${element}: ${list})), [NULL])`;
    }
    case "JSON":
    case "RECORD":
    case "MIXED":
      return `coalesce(lw_json_texts(${value}, ${scope}), [NULL])`;
    default:
      return `[${valueText(type, value, { style: "cast", timeZone })}]`;
  }
}

/** Prints the call. A search of ASCII in ASCII is native. */
export function containsSubstr(context: CallContext): string {
  const { args, types, call, timeZone } = context;
  const [value = "", wanted = "", scope = "'JSON_VALUES'"] = args;
  const type = types[0] ?? { kind: "UNKNOWN" };
  const literal = "arguments" in call ? call.arguments[1] : undefined;
  if (literal?.kind === "Literal" && literal.value === null) {
    return raiseError(quoteString("CONTAINS_SUBSTR: the search value must not be NULL"));
  }
  const found = (list: string) => `lw_contains_text(${udfList(list)}, ${wanted})`;
  if (type.kind !== "STRING" || literal?.kind !== "Literal" || literal.value === null) {
    const list = textsOf(type, value, scope, timeZone, 0);
    const isAbsent =
      type.kind === "STRUCT" || type.kind === "ARRAY"
        ? (sql: string) => `CASE WHEN ${value} IS NULL THEN NULL ELSE ${sql} END`
        : (sql: string) => sql;
    return isAbsent(found(list));
  }
  const folded = quoteString(normalizeAndCasefold(literal.value, "NFKC"));
  return computeOnce([value], "contains", (v) => {
    const native = `contains(lower(${v}), ${folded})`;
    return `CASE WHEN strlen(${v}) = length(${v}) THEN ${native} ELSE ${found(`[${v}]`)} END`;
  });
}
