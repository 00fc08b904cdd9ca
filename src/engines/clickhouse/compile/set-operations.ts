/** Building blocks for UNION, INTERSECT and EXCEPT. */
import type { Scan } from "../../../googlesql/resolved.ts";
import { isComparable } from "../functions/compare.ts";
import { nameSql } from "../sql/atoms.ts";
import { joinSql, type Sql, sql } from "../sql/sql.ts";
import { newBlock, outsideColumn, selectColumn, wrapBlock } from "./block.ts";
import { type Compilation, nextAlias } from "./compilation.ts";
import { NotPushed } from "./not-pushed.ts";
import { castTo } from "./physical-types.ts";
import type { Block, SelectItem } from "./render.ts";
import { renderBlock } from "./render.ts";
import { cheapBinding } from "./scope.ts";

type SetOperation = Scan & { kind: "SetOperation" };

export function buildSetOperation(compilation: Compilation, scan: SetOperation): Block {
  const blocks = scan.inputs.map((input) => compilation.buildScan(compilation, input.scan));
  return uniteBlocks(compilation, scan, blocks);
}

/** The set operation of the blocks of its inputs. */
export function uniteBlocks(compilation: Compilation, scan: SetOperation, blocks: readonly Block[]): Block {
  const { operator, isAll } = scan;
  const isUnionAll = operator === "UNION" && isAll;
  if (operator !== "UNION" && isAll) throw new NotPushed(`${operator} ALL`);
  const wrong = scan.columns.find(({ type }) => !isUnionAll && (!isComparable(type) || type.kind === "FLOAT64"));
  if (wrong !== undefined) throw new NotPushed(`${operator} DISTINCT over values of the type ${wrong.type.kind}`);
  const names = scan.columns.map((column) => compilation.analysis.alias(column.id));
  const lists: (readonly SelectItem[])[] = [];
  const parts = scan.inputs.map((input, index) => {
    const built = blocks[index] ?? newBlock();
    const block = built.isDistinct ? wrapBlock(compilation, built) : built;
    const items = input.columns.map((column, place) => ({
      alias: names[place] ?? "",
      sql: castTo(selectColumn(compilation, block, column).sql, column.type),
    }));
    lists.push(items);
    return sql`(${renderBlock(block, items)})`;
  });
  const alias = nextAlias(compilation, "u");
  const block = newBlock(2);
  const united = isUnionAll ? joinSql(parts, " UNION ALL ") : joinParts(parts, operator);
  block.from = () => sql`(${united}) AS ${nameSql(alias)}`;
  scan.columns.forEach((column, index) => {
    const [first, ...others] = lists.flatMap((items) => items[index] ?? []);
    if (first !== undefined) block.bindings.set(column.id, cheapBinding(outsideColumn(alias, first, ...others)));
  });
  return block;
}

/** Operators of one precedence each, from the left. */
function joinParts(parts: readonly Sql[], operator: SetOperation["operator"]): Sql {
  if (operator === "UNION") return joinSql(parts, " UNION DISTINCT ");
  return parts.reduce((left, right) => sql`(${joinSql([left, right], ` ${operator} DISTINCT `)})`);
}
