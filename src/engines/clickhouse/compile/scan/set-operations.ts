/** Building SELECTs for UNION, INTERSECT and EXCEPT. */
import type { Scan } from "../../../../googlesql/resolved.ts";
import { type SelectItem, selectColumn } from "../../../sql/select.ts";
import { isComparable } from "../../functions/comparisons.ts";
import { nameSql } from "../../sql/atoms.ts";
import { Refusal, refusalIn } from "../../sql/refusal.ts";
import { joinSql, type Sql, sql } from "../../sql/sql.ts";
import { type Compilation, nextAlias } from "../compilation.ts";
import { castTo } from "../expression/literals.ts";
import { renderSelect, type SelectBuilder } from "../render.ts";
import { cheapBinding } from "../scope.ts";
import { newSelect, outsideColumn, refusedSelect, wrapSelect } from "../select-builder.ts";

type SetOperation = Scan & { kind: "SetOperation" };

export function buildSetOperation(compilation: Compilation, scan: SetOperation): SelectBuilder {
  const builders: SelectBuilder[] = [];
  for (const input of scan.inputs) {
    const builder = compilation.buildScan(compilation, input.scan);
    if (builder.refused !== undefined) return builder;
    builders.push(builder);
  }
  return uniteBlocks(compilation, scan, builders);
}

/** The set operation of the SELECTs of its inputs. */
export function uniteBlocks(
  compilation: Compilation,
  scan: SetOperation,
  builders: readonly SelectBuilder[],
): SelectBuilder {
  const { operator, isAll } = scan;
  const isUnionAll = operator === "UNION" && isAll;
  if (operator !== "UNION" && isAll) return refusedSelect(new Refusal(`${operator} ALL`));
  const wrong = scan.columns.find(({ type }) => !isUnionAll && (!isComparable(type) || type.kind === "FLOAT64"));
  if (wrong !== undefined)
    return refusedSelect(new Refusal(`${operator} DISTINCT over values of the type ${wrong.type.kind}`));
  const names = scan.columns.map((column) => compilation.analysis.alias(column.id));
  const lists: (readonly SelectItem[])[] = [];
  const parts = scan.inputs.map((input, index) => {
    const built = builders[index] ?? newSelect();
    const builder = built.isDistinct ? wrapSelect(compilation, built) : built;
    const items = input.columns.map((column, place) => ({
      alias: names[place] ?? "",
      sql: castTo(selectColumn(compilation, builder, column).sql, column.type),
    }));
    lists.push(items);
    return sql`(${renderSelect(builder, items)})`;
  });
  const alias = nextAlias(compilation, "u");
  const united = isUnionAll ? joinSql(parts, " UNION ALL ") : joinParts(parts, operator);
  const builder = { ...newSelect(2), from: { print: () => sql`(${united}) AS ${nameSql(alias)}` } };
  const refused = refusalIn(united);
  if (refused !== undefined) return refusedSelect(refused);
  scan.columns.forEach((column, index) => {
    const [first, ...others] = lists.flatMap((items) => items[index] ?? []);
    if (first !== undefined) builder.bindings.set(column.id, cheapBinding(outsideColumn(alias, first, ...others)));
  });
  return builder;
}

/** Operators of one precedence each, from the left. */
function joinParts(parts: readonly Sql[], operator: SetOperation["operator"]): Sql {
  if (operator === "UNION") return joinSql(parts, " UNION DISTINCT ");
  return parts.reduce((left, right) => sql`(${joinSql([left, right], ` ${operator} DISTINCT `)})`);
}
