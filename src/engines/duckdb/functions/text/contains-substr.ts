/** CONTAINS_SUBSTR: a search without distinction of case or of the form of characters, in any field of a value. */

import type { SqlType } from "../../../../googlesql/types.ts";
import { normalizeAndCasefold } from "../../../../semantics/text/unicode-text.ts";
import { textSql, variableSql } from "../../sql/atoms.ts";
import { fieldOf, lambda, raiseText } from "../../sql/forms.ts";
import { EMPTY, joinSql, type Sql, sql } from "../../sql/sql.ts";
import { valueText } from "../cast/value-text.ts";
import { computeOnce } from "../compute-once.ts";
import type { CallContext } from "../types.ts";
import { udfList } from "../udf-list.ts";

/** A list of all scalar texts in a value, NULLs among them. */
function textsOf(type: SqlType, value: Sql, scope: Sql, timeZone: string, depth: number): Sql {
  switch (type.kind) {
    case "STRUCT":
      return computeOnce([value], `fields${depth}`, (v) => {
        const lists = type.fields.map((field, index) =>
          textsOf(field.type, fieldOf(v, index), scope, timeZone, depth + 1),
        );
        return lists.length === 0 ? sql`CAST([] AS VARCHAR[])` : sql`flatten([${joinSql(lists, ", ")}])`;
      });
    case "ARRAY": {
      if (type.element.kind === "RECORD") return sql`coalesce(lw_json_texts(${value}, ${scope}), [NULL])`;
      const element = variableSql(`lw_found${depth}`);
      const list = textsOf(type.element, element, scope, timeZone, depth + 1);
      return sql`coalesce(flatten(list_transform(${value}, ${lambda(element, list)})), [NULL])`;
    }
    case "JSON":
    case "RECORD":
    case "MIXED":
      return sql`coalesce(lw_json_texts(${value}, ${scope}), [NULL])`;
    default:
      return sql`[${valueText(type, value, { style: "cast", timeZone })}]`;
  }
}

/** Prints the call. A search of ASCII in ASCII is native. */
export function containsSubstr(context: CallContext): Sql {
  const { args, types, call, timeZone } = context;
  const [value = EMPTY, wanted = EMPTY, scope = textSql("JSON_VALUES")] = args;
  const type = types[0] ?? { kind: "UNKNOWN" };
  const literal = "arguments" in call ? call.arguments[1] : undefined;
  if (literal?.kind === "Literal" && literal.value === null) {
    return raiseText("CONTAINS_SUBSTR: the search value must not be NULL");
  }
  const found = (list: Sql) => sql`lw_contains_text(${udfList(list)}, ${wanted})`;
  if (type.kind !== "STRING" || literal?.kind !== "Literal" || literal.value === null) {
    const list = textsOf(type, value, scope, timeZone, 0);
    const search =
      type.kind === "STRUCT" || type.kind === "ARRAY"
        ? (list: Sql) => sql`CASE WHEN ${value} IS NULL THEN NULL ELSE ${found(list)} END`
        : found;
    return search(list);
  }
  const folded = textSql(normalizeAndCasefold(literal.value, "NFKC"));
  return computeOnce([value], "contains", (v) => {
    const native = sql`contains(lower(${v}), ${folded})`;
    return sql`CASE WHEN strlen(${v}) = length(${v}) THEN ${native} ELSE ${found(sql`[${v}]`)} END`;
  });
}
