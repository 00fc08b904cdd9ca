/**
 * Building blocks for scans of common table expressions. One that is read once is printed where it is read; one that is
 * read several times stands in WITH, where DuckDB decides whether to keep its rows.
 */
import type { CteDefinition, Scan } from "../../../googlesql/resolved.ts";
import { type Block, findColumn, newBlock, outsideBinding, scopeOf } from "./block.ts";
import { type Compilation, nextAlias, type PrintedCte } from "./compilation.ts";
import { readableName } from "./names.ts";
import { renderBlock } from "./render.ts";
import { cheapBinding, type Scope } from "./scope.ts";

type CteScan = Scan & { kind: "Cte" };

export function buildCte(compilation: Compilation, scan: CteScan, outer: Scope | undefined): Block {
  const { cte } = scan;
  const known = compilation.printedCtes.get(cte.id);
  if (known !== undefined) return scanPrinted(compilation, scan, known, outer);
  const isOnce = compilation.analysis.cteUses(cte) <= 1;
  const isRecursive = cte.scan.kind === "Recursive";
  const mustInline = compilation.recursionDepth > 0 || compilation.analysis.isCorrelated(cte);
  if (!isRecursive && (isOnce || mustInline)) return inlineCte(compilation, scan, outer);
  const printed = isRecursive ? printRecursive(compilation, cte) : printPlain(compilation, cte);
  compilation.printedCtes.set(cte.id, printed);
  return scanPrinted(compilation, scan, printed, outer);
}

/** The definition's own block, its columns readable under the scan's ids too. */
function inlineCte(compilation: Compilation, scan: CteScan, outer: Scope | undefined): Block {
  const definition = compilation.definitions.get(scan.cte.id);
  // A correlated definition reads the columns of the query around WITH, which is around this scan as well.
  const block = compilation.buildScan(compilation, scan.cte.scan, definition?.scope ?? outer);
  const outputs = new Map(scan.columns.map((column, index) => [column.id, scan.cte.output[index]?.id]));
  block.sources = [
    ...block.sources,
    (id) => {
      const output = outputs.get(id);
      return output === undefined ? undefined : findColumn(block, output);
    },
  ];
  for (const [id, output] of outputs) {
    if (output === undefined) continue;
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
  const from = `${printed.name} AS ${alias}`;
  block.from = () => from;
  const outputs = new Map(scan.columns.map((column, index) => [column.id, scan.cte.output[index]]));
  block.sources = [
    (id) => {
      const output = outputs.get(id);
      if (output === undefined) return undefined;
      if (printed.isRecursive) return cheapBinding(`${alias}.${compilation.analysis.alias(output.id)}`);
      const inside = findColumn(printed.block, output.id);
      return inside === undefined ? undefined : outsideBinding(compilation, printed.block, alias, output.id, inside);
    },
  ];
  return block;
}

function cteName(cte: CteDefinition): string {
  return `w${cte.id}_${readableName(cte.name)}`;
}

function printPlain(compilation: Compilation, cte: CteDefinition): PrintedCte {
  const block = compilation.buildScan(compilation, cte.scan, undefined);
  const name = cteName(cte);
  return { name, block, isRecursive: false, print: () => `${name} AS (${renderBlock(block)})` };
}

function printRecursive(compilation: Compilation, cte: CteDefinition): PrintedCte {
  const { scan } = cte;
  if (scan.kind !== "Recursive") throw new Error("Not the body of a recursive CTE");
  const name = cteName(cte);
  const aliases = cte.output.map((column) => compilation.analysis.alias(column.id));
  const anchor = compilation.buildScan(compilation, scan.anchor.scan, undefined);
  // The step finds the CTE as already printed.
  const self: PrintedCte = { name, block: anchor, isRecursive: true, print: () => "" };
  compilation.printedCtes.set(cte.id, self);
  compilation.recursionDepth++;
  const step = compilation.buildScan(compilation, scan.step.scan, undefined);
  compilation.recursionDepth--;
  // Printed after the CTEs that its parts read.
  compilation.printedCtes.delete(cte.id);
  const render = (block: Block, columns: typeof scan.columns) => {
    const items = columns.map((column, index) => ({
      alias: aliases[index] ?? "",
      sql: (findColumn(block, column.id) ?? scopeOf(compilation, block).find(column.id))?.sql() ?? "NULL",
    }));
    return () => `(${renderBlock(block, items)})`;
  };
  const anchorSql = render(anchor, scan.anchor.columns);
  const stepSql = render(step, scan.step.columns);
  const operator = scan.isAll ? "UNION ALL" : "UNION";
  return {
    ...self,
    print: () => `${name}(${aliases.join(", ")}) AS (${anchorSql()} ${operator} ${stepSql()})`,
  };
}
