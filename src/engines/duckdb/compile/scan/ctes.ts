/**
 * Building SELECTs for scans of common table expressions. One that is read once is printed where it is read; one that
 * is read several times stands in WITH, where DuckDB decides whether to keep its rows.
 */

import { readsTable, someScanned } from "../../../../googlesql/resolved/walk.ts";
import type { Column, CteDefinition, Scan } from "../../../../googlesql/resolved.ts";
import { INT64 } from "../../../../googlesql/types.ts";
import { findColumn } from "../../../lowering/find-column.ts";
import { readableName } from "../../../lowering/names.ts";
import { isRandomCall } from "../../../lowering/parts.ts";
import type { SelectItem } from "../../../sql/select.ts";
import { bigintSql, columnOf, NULL, nameSql, numberSql } from "../../sql/atoms.ts";
import { callSql, raiseText } from "../../sql/forms.ts";
import { EMPTY, joinSql, sql } from "../../sql/sql.ts";
import { type Compilation, nextAlias, type PrintedCte, type SelectBuilder } from "../compilation.ts";
import { outsideBinding } from "../exports.ts";
import { MAX_RECURSION } from "../limits.ts";
import { renderSelect } from "../render.ts";
import { cheapBinding } from "../scope.ts";
import { newSelect, scopeOf, selectable } from "../select-builder.ts";

/** Has the definition a value of chance, which all that read it share? */
const isRandom = (scan: Scan): boolean => someScanned(scan, isRandomCall);

type CteScan = Scan & { kind: "Cte" };

export function buildCte(from: SelectBuilder, scan: CteScan): SelectBuilder {
  const { compilation } = from;
  const { cte } = scan;
  const isRecursive = cte.scan.kind === "Recursive";
  // DuckDB gets lost where it makes a join of a correlated sub-query that reads what stands in WITH.
  const isInPlace = compilation.correlationDepth > 0 && !isRecursive && !isRandom(cte.scan);
  const known = compilation.printedCtes.get(cte.id);
  if (known !== undefined && !isInPlace) return scanPrinted(from, scan, known);
  const isOnce = compilation.analysis.cteUses(cte) <= 1;
  const mustInline = isInPlace || compilation.recursionDepth > 0 || compilation.analysis.isCorrelated(cte);
  if (!isRecursive && (isOnce || mustInline)) return inlineCte(from, scan);
  const printed = isRecursive ? printRecursive(compilation, cte) : printPlain(compilation, cte);
  compilation.printedCtes.set(cte.id, printed);
  return scanPrinted(from, scan, printed);
}

/** The definition's own SELECT, its columns readable under the scan's ids too. */
function inlineCte(from: SelectBuilder, scan: CteScan): SelectBuilder {
  // What is merged into the SELECT may read the columns around this scan.
  const builder = from.compilation.buildScan(from, scan.cte.scan);
  builder.copies.add(scan.cte.id);
  const outputs = new Map<number, number>();
  scan.columns.forEach((column, index) => {
    const output = scan.cte.output[index];
    if (output !== undefined) outputs.set(column.id, output.id);
  });
  builder.sources = [
    ...builder.sources,
    (id) => {
      const output = outputs.get(id);
      return output === undefined ? undefined : findColumn(builder, output);
    },
  ];
  for (const [id, output] of outputs) {
    const uses = builder.computed.get(output);
    if (uses !== undefined) builder.computed.set(id, uses);
    const expression = builder.deferrable.get(output);
    if (expression !== undefined) builder.deferrable.set(id, expression);
  }
  return builder;
}

function scanPrinted(builder: SelectBuilder, scan: CteScan, printed: PrintedCte): SelectBuilder {
  const { compilation } = builder;
  const alias = nextAlias(compilation, "s");
  const from = sql`${nameSql(printed.name)} AS ${nameSql(alias)}`;
  builder.from = { print: () => from };
  builder.isLimited = printed.builder.isLimited || printed.builder.limit !== undefined;
  const outputs = new Map(scan.columns.map((column, index) => [column.id, scan.cte.output[index]]));
  builder.sources = [
    (id) => {
      const output = outputs.get(id);
      if (id === printed.round?.id) return cheapBinding(columnOf(alias, ROUND));
      if (output === undefined) return undefined;
      if (printed.isRecursive) return cheapBinding(columnOf(alias, compilation.analysis.alias(output.id)));
      const inside = findColumn(printed.builder, output.id);
      return inside === undefined ? undefined : outsideBinding(printed.builder, alias, output.id, inside);
    },
  ];
  return builder;
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
  const builder = compilation.buildScan(newSelect(compilation), cte.scan);
  const name = cteName(cte);
  const head = mustMaterialize(cte) ? sql`${nameSql(name)} AS MATERIALIZED` : sql`${nameSql(name)} AS`;
  return { name, builder, isRecursive: false, round: undefined, print: () => sql`${head} (${renderSelect(builder)})` };
}

/** The name of the column that counts the rounds of a recursion. */
const ROUND = "round";

interface Side {
  readonly builder: SelectBuilder;
  readonly items: SelectItem[];
}

function recursiveSide(
  compilation: Compilation,
  part: { scan: Scan; columns: readonly Column[] },
  aliases: readonly string[],
): Side {
  const builder = selectable(compilation.buildScan(newSelect(compilation), part.scan), part.columns);
  const items = part.columns.map((column, index) => ({
    alias: aliases[index] ?? "",
    sql: scopeOf(builder).find(column.id)?.sql() ?? NULL,
  }));
  return { builder, items };
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
    builder: anchor.builder,
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
    const sides = [anchor, round ?? step].map(({ builder, items }) => sql`(${renderSelect(builder, items)})`);
    return sql`${callSql(name, columns.map(nameSql))} AS (${joinSql(sides, ` ${operator} `)})`;
  };
  return { ...self, print };
}

/**
 * Fails a recursion without end. Undefined where the step hides the rows of the round before, as an aggregation does.
 */
function countRounds(column: Column, step: Side): Side | undefined {
  const round = findColumn(step.builder, column.id);
  if (round === undefined) return undefined;
  const failure = raiseText(`A recursive CTE ran more than ${MAX_RECURSION} rounds`);
  const limit = numberSql(MAX_RECURSION);
  step.items.push({
    alias: ROUND,
    sql: sql`CASE WHEN ${round.sql()} <= ${limit} THEN ${round.sql()} + 1 ELSE ${failure} END`,
  });
  return step;
}
