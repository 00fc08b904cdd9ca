/**
 * A top-level field that no expression of the server represents exactly: one of several shapes, or one with values in
 * the JSON beside the columns. The server returns its JSON unchanged, and the embedded engine reads the value.
 */
import type { Expr } from "../../../../googlesql/resolved.ts";
import { arrayOf, type RecordType, type SqlType } from "../../../../googlesql/types.ts";
import type { LeafVariant, TableLayout } from "../../../schema/layout.ts";
import { storedColumnOf, textSql, variableSql } from "../../sql/atoms.ts";
import { Refusal } from "../../sql/refusal.ts";
import { joinSql, type Sql, sql } from "../../sql/sql.ts";
import { type Binding, refusedBinding } from "../scope.ts";

/** The fields of the returned record: the JSON of fields without a column, and the value's own. */
const REST = "r";
const VALUE = "v";

/** The JSON text of one value that is not NULL, in any form that reads as the same value. */
function printJson(value: Sql, { kind }: SqlType): Sql {
  if (kind === "STRING") return sql`toJSONString(assumeNotNull(${value}))`;
  // Events cannot contain infinities, and JSON has no negative zero.
  return kind === "FLOAT64" ? sql`if(${value} = 0, '0', toString(${value}))` : sql`toString(${value})`;
}

function printVariant(alias: string, { column, type }: LeafVariant): Sql {
  const value = storedColumnOf(alias, column);
  if (type.kind !== "ARRAY") return sql`if(isNull(${value}), NULL, ${printJson(value, type)})`;
  const item = printJson(variableSql("lw_i"), type.element);
  const items = sql`arrayStringConcat(arrayMap(lw_i -> ${item}, ${value}), ',')`;
  return sql`if(empty(${value}), NULL, concat('[', ${items}, ']'))`;
}

/** `,"name":value`, and nothing for a NULL. */
function printMember(name: string, json: Sql | undefined): Sql {
  return json === undefined ? textSql("") : sql`ifNull(concat(${textSql(`,"${name}":`)}, ${json}), '')`;
}

/** The field as built from the columns under `alias`. */
export function carriedField(layout: TableLayout, alias: string, source: string, type: SqlType): Binding {
  const own = layout.recordColumns.get(source);
  const variants = layout.leaves.get(source)?.variants ?? [];
  const values = [
    ...(own === undefined ? [] : [storedColumnOf(alias, own)]),
    ...variants.map((variant) => printVariant(alias, variant)),
  ];
  const value = values.length === 0 ? undefined : sql`coalesce(${joinSql(values, ", ")})`;
  const names = layout.rest?.names.get(source);
  const rest = names === undefined || layout.rest === undefined ? undefined : layout.rest;
  const restColumn = rest === undefined ? undefined : storedColumnOf(alias, rest.column);
  const restRecord: RecordType = {
    ...{ kind: "RECORD", isRepeated: false, isOpen: rest?.isOpen ?? false },
    fields: [{ name: source, type, ...(names === undefined ? {} : { names }) }],
  };
  const fields = [
    { name: REST, type: arrayOf(restRecord) },
    { name: VALUE, type },
  ];
  const reason = `the field ${source}, whose values have several shapes or no column`;
  return {
    ...refusedBinding(new Refusal(reason)),
    carried: {
      type: arrayOf({ kind: "RECORD", fields, isRepeated: false, isOpen: false }),
      sql: () => sql`concat('[{"x":1', ${printMember(REST, restColumn)}, ${printMember(VALUE, value)}, '}]')`,
      read(base): Expr {
        const at = (path: readonly string[]): Expr => ({ kind: "RecordField", base, path, type, span: base.span });
        if (rest === undefined) return at([VALUE]);
        // The number's own text has precedence over the column's value.
        const operands = [at([REST, source]), at([VALUE])];
        return { kind: "Call", function: "COALESCE", arguments: operands, isSafe: false, type, span: base.span };
      },
    },
  };
}
