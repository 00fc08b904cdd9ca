/**
 * Building blocks for scans of common table expressions. One that is read once is printed where it is read; one that is
 * read several times stands in WITH, where DuckDB decides whether to keep its rows.
 */

import { readsTable, someScanned } from "../../../../googlesql/resolved/walk.ts";
import type { Column, CteDefinition, Scan } from "../../../../googlesql/resolved.ts";
import { INT64 } from "../../../../googlesql/types.ts";
import { findColumn } from "../../../lowering/find-column.ts";
import { readableName } from "../../../lowering/names.ts";
import { bigintSql, columnOf, NULL, nameSql, numberSql } from "../../sql/atoms.ts";
import { callSql, raiseText } from "../../sql/forms.ts";
import { EMPTY, joinSql, sql } from "../../sql/sql.ts";
import { newBlock, scopeOf, selectable } from "../block.ts";
import { type Compilation, nextAlias, type PrintedCte } from "../compilation.ts";
import { outsideBinding } from "../exports.ts";
import { isRandomCall } from "../expression/random-call.ts";
import { MAX_RECURSION } from "../limits.ts";
import type { Block, SelectItem } from "../render.ts";
import { renderBlock } from "../render.ts";
import { cheapBinding, type Scope } from "../scope.ts";

/** Has the definition a value of chance, which all that read it share? */
const isRandom = (scan: Scan): boolean => someScanned(scan, isRandomCall);

type CteScan = Scan & { kind: "Cte" };

export function buildCte(compilation: Compilation, scan: CteScan, outer: Scope | undefined): Block {
  const { cte } = scan;
  const isRecursive = cte.scan.kind === "Recursive";
  // DuckDB gets lost where it makes a join of a correlated sub-query that reads what stands in WITH.
  const isInPlace = compilation.correlationDepth > 0 && !isRecursive && !isRandom(cte.scan);
  const known = compilation.printedCtes.get(cte.id);
  if (known !== undefined && !isInPlace) return scanPrinted(compilation, scan, known, outer);
  const isOnce = compilation.analysis.cteUses(cte) <= 1;
  const mustInline = isInPlace || compilation.recursionDepth > 0 || compilation.analysis.isCorrelated(cte);
  if (!isRecursive && (isOnce || mustInline)) return inlineCte(compilation, scan, outer);
  const printed = isRecursive ? printRecursive(compilation, cte) : printPlain(compilation, cte);
  compilation.printedCtes.set(cte.id, printed);
  return scanPrinted(compilation, scan, printed, outer);
}

/** The definition's own block, its columns readable under the scan's ids too. */
function inlineCte(compilation: Compilation, scan: CteScan, outer: Scope | undefined): Block {
  // What is merged into the block may read the columns around this scan.
  const block = compilation.buildScan(compilation, scan.cte.scan, outer);
  block.copies.add(scan.cte.id);
  const outputs = new Map<number, number>();
  scan.columns.forEach((column, index) => {
    const output = scan.cte.output[index];
    if (output !== undefined) outputs.set(column.id, output.id);
  });
  block.sources = [
    ...block.sources,
    (id) => {
      const output = outputs.get(id);
      return output === undefined ? undefined : findColumn(block, output);
    },
  ];
  for (const [id, output] of outputs) {
    const uses = block.computed.get(output);
    if (uses !== undefined) block.computed.set(id, uses);
    const expression = block.deferrable.get(output);
    if (expression !== undefined) block.deferrable.set(id, expression);
  }
  return block;
}

function scanPrinted(compilation: Compilation, scan: CteScan, printed: PrintedCte, outer: Scope | undefined): Block {
  const block = newBlock(outer);
  const alias = nextAlias(compilation, "s");
  const from = sql`${nameSql(printed.name)} AS ${nameSql(alias)}`;
  block.from = { print: () => from };
  const outputs = new Map(scan.columns.map((column, index) => [column.id, scan.cte.output[index]]));
  block.sources = [
    (id) => {
      const output = outputs.get(id);
      if (id === printed.round?.id) return cheapBinding(columnOf(alias, ROUND));
      if (output === undefined) return undefined;
      if (printed.isRecursive) return cheapBinding(columnOf(alias, compilation.analysis.alias(output.id)));
      const inside = findColumn(printed.block, output.id);
      return inside === undefined ? undefined : outsideBinding(compilation, printed.block, alias, output.id, inside);
    },
  ];
  return block;
}

function cteName(cte: CteDefinition): string {
  return `w${cte.id}_${readableName(cte.name)}`;
}

/**
 * Where DuckDB puts a definition in place of several of its readers, a parameter in a row that is no table's is NULL in
 * the copies.
 */
function mustMaterialize({ scan }: CteDefinition): boolean {
  return someScanned(scan, (at) => at.kind === "Parameter") && !readsTable(scan);
}

function printPlain(compilation: Compilation, cte: CteDefinition): PrintedCte {
  const block = compilation.buildScan(compilation, cte.scan, undefined);
  const name = cteName(cte);
  const head = mustMaterialize(cte) ? sql`${nameSql(name)} AS MATERIALIZED` : sql`${nameSql(name)} AS`;
  return { name, block, isRecursive: false, round: undefined, print: () => sql`${head} (${renderBlock(block)})` };
}

/** The name of the column that counts the rounds of a recursion. */
const ROUND = "round";

interface Side {
  readonly block: Block;
  readonly items: SelectItem[];
}

function recursiveSide(
  compilation: Compilation,
  part: { scan: Scan; columns: readonly Column[] },
  aliases: readonly string[],
): Side {
  const block = selectable(compilation, compilation.buildScan(compilation, part.scan, undefined), part.columns);
  const items = part.columns.map((column, index) => ({
    alias: aliases[index] ?? "",
    sql: (findColumn(block, column.id) ?? scopeOf(compilation, block).find(column.id))?.sql() ?? NULL,
  }));
  return { block, items };
}

function printRecursive(compilation: Compilation, cte: CteDefinition): PrintedCte {
  const { scan } = cte;
  if (scan.kind !== "Recursive") throw new Error("Not the body of a recursive CTE");
  const name = cteName(cte);
  const aliases = cte.output.map((column) => compilation.analysis.alias(column.id));
  const anchor = recursiveSide(compilation, scan.anchor, aliases);
  // The step finds the CTE as already printed.
  const self: PrintedCte = {
    name,
    block: anchor.block,
    isRecursive: true,
    round: scan.isAll ? compilation.analysis.newColumn(ROUND, INT64) : undefined,
    print: () => EMPTY,
  };
  compilation.printedCtes.set(cte.id, self);
  compilation.recursionDepth++;
  const step = recursiveSide(compilation, scan.step, aliases);
  compilation.recursionDepth--;
  const columns = [...aliases];
  const round = self.round === undefined ? undefined : countRounds(self.round, step);
  if (round !== undefined) {
    columns.push(ROUND);
    anchor.items.push({ alias: ROUND, sql: bigintSql(1n) });
  }
  const operator = scan.isAll ? "UNION ALL" : "UNION";
  const print = () => {
    const sides = [anchor, round ?? step].map(({ block, items }) => sql`(${renderBlock(block, items)})`);
    return sql`${callSql(name, columns.map(nameSql))} AS (${joinSql(sides, ` ${operator} `)})`;
  };
  return { ...self, print };
}

/**
 * Fails a recursion without end. Undefined where the step hides the rows of the round before, as an aggregation does.
 */
function countRounds(column: Column, step: Side): Side | undefined {
  const round = findColumn(step.block, column.id);
  if (round === undefined) return undefined;
  const failure = raiseText(`A recursive CTE ran more than ${MAX_RECURSION} rounds`);
  const limit = numberSql(MAX_RECURSION);
  step.items.push({
    alias: ROUND,
    sql: sql`CASE WHEN ${round.sql()} <= ${limit} THEN ${round.sql()} + 1 ELSE ${failure} END`,
  });
  return step;
}
