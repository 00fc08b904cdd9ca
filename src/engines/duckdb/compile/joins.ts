/** Building blocks for joins. */
import type { Scan } from "../../../googlesql/resolved.ts";
import { type Block, rowBlock, scopeOf, wrapBlock } from "./block.ts";
import type { Compilation } from "./compilation.ts";
import { printExpression } from "./expressions.ts";

type Join = Scan & { kind: "Join" };

/** The side as something that FROM can hold, in whose place a missing row may stand when it is nullable. */
function joinSide(compilation: Compilation, block: Block, isNullable: boolean, mayFilter: boolean): Block {
  const rows = rowBlock(compilation, block);
  // Without LIMIT an order of a join's side has no meaning.
  rows.order = [];
  const isFiltered = rows.where.length > 0 && !mayFilter;
  const isBare = rows.from !== undefined && !isFiltered && !(isNullable && rows.hasComputed);
  return isBare ? rows : wrapBlock(compilation, rows);
}

function joinText(left: string, type: Join["type"], right: string, on: string | undefined): string {
  if (on === undefined && (type === "CROSS" || type === "INNER")) return `${left} CROSS JOIN ${right}`;
  return `${left} ${type === "CROSS" ? "INNER" : type} JOIN ${right} ON ${on ?? "true"}`;
}

export function buildJoin(compilation: Compilation, scan: Join, input: Block): Block {
  const { type } = scan;
  const isInner = type === "CROSS" || type === "INNER";
  const left = joinSide(compilation, input, type === "RIGHT" || type === "FULL", isInner || type === "LEFT");
  const lateral = scan.isLateral === true;
  const built = compilation.buildScan(compilation, scan.right, lateral ? scopeOf(compilation, left) : left.outer);
  const right = lateral
    ? lateralSide(compilation, built)
    : joinSide(compilation, built, type === "LEFT" || type === "FULL", isInner);
  const leftFrom = left.from;
  const rightFrom = right.from;
  const isRightJoin = right.isJoin;

  left.where.push(...right.where);
  left.sources = [...left.sources, ...right.sources];
  for (const [id, binding] of right.bindings) left.bindings.set(id, binding);
  for (const [id, uses] of right.computed) left.computed.set(id, uses);
  for (const [id, expression] of right.deferrable) left.deferrable.set(id, expression);
  left.hasComputed ||= right.hasComputed;
  left.naturalOrder = [...left.naturalOrder, ...right.naturalOrder];
  left.inner = undefined;
  left.isJoin = true;
  const on = scan.on === undefined ? undefined : printExpression(compilation, scan.on, scopeOf(compilation, left));
  left.from = {
    print: () => {
      const rightText = rightFrom?.print() ?? "";
      return joinText(
        leftFrom?.print() ?? "",
        lateral && type === "CROSS" ? "INNER" : type,
        isRightJoin ? `(${rightText})` : rightText,
        on ?? (lateral ? "true" : undefined),
      );
    },
  };
  return left;
}

function lateralSide(compilation: Compilation, block: Block): Block {
  const side = wrapBlock(compilation, block);
  const { from } = side;
  side.from = { print: () => `LATERAL ${from?.print() ?? ""}` };
  return side;
}
