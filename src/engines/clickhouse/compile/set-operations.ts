/** Building blocks for UNION, INTERSECT and EXCEPT. */
import type { Scan } from "../../../googlesql/resolved.ts";
import { isComparable } from "../functions/compare.ts";
import { newBlock, selectColumn, wrapBlock } from "./block.ts";
import { type Compilation, nextAlias } from "./compilation.ts";
import { NotPushed } from "./not-pushed.ts";
import { physicalType } from "./physical-types.ts";
import type { Block } from "./render.ts";
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
  const parts = scan.inputs.map((input, index) => {
    const built = blocks[index] ?? newBlock();
    const block = built.isDistinct ? wrapBlock(compilation, built) : built;
    const items = input.columns.map((column, place) => ({
      alias: names[place] ?? "",
      sql: `CAST(${selectColumn(compilation, block, column).sql}, '${physicalType(column.type)}')`,
    }));
    return `(${renderBlock(block, items)})`;
  });
  const alias = nextAlias(compilation, "u");
  const block = newBlock(2);
  const word = isUnionAll ? " UNION ALL " : ` ${operator} DISTINCT `;
  block.from = () => `(${joinParts(parts, word)}) AS ${alias}`;
  scan.columns.forEach((column, index) => {
    block.bindings.set(column.id, cheapBinding(`${alias}.${names[index]}`));
  });
  return block;
}

/** Operators of one precedence each, from the left. */
function joinParts(parts: readonly string[], word: string): string {
  if (word.includes("UNION")) return parts.join(word);
  return parts.reduce((left, right) => `(${left}${word}${right})`);
}
