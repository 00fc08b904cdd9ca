/** Trees of a resolved query with other parts in them; what does not change is shared. */

import type { Expr } from "./expression.ts";
import { mapCallParts, mapExpressionParts, mapScanExpressions, mapScanInputs, type Parts } from "./parts.ts";
import type { CteDefinition, Scan } from "./scan.ts";

/** The replacement of a part; undefined to look into it. Asked from the outside in. */
export interface Replacing {
  expression?(expression: Expr): Expr | undefined;
  /** As `expression` unless stated otherwise. */
  bound?(expression: Expr): Expr | undefined;
  scan?(scan: Scan): Scan | undefined;
  /** Asked once for each definition, wherever it is met first: all scans of one read the same. */
  definition?(cte: CteDefinition): CteDefinition | undefined;
}

/** A mapping of the trees of one query. Its functions need no `this`. */
export interface Mapping extends Parts {
  /** The scan with its own expressions mapped, over the inputs that it has. */
  own(scan: Scan): Scan;
}

/** The mapping that replaces what it is asked to. */
export function createMapping(replacing: Replacing): Mapping {
  const definitions = new Map<CteDefinition, CteDefinition>();
  const define = (cte: CteDefinition): CteDefinition => {
    const known = definitions.get(cte) ?? replacing.definition?.(cte);
    definitions.set(cte, known ?? cte);
    if (known !== undefined) return known;
    const scan = mapping.scan(cte.scan);
    if (scan === cte.scan) return cte;
    const mapped = { ...cte, scan };
    definitions.set(cte, mapped);
    return cte.isRecursive ? Object.assign(mapped, { scan: readInstead(scan, cte, mapped) }) : mapped;
  };
  const mapping: Mapping = {
    expression: (expression) => replacing.expression?.(expression) ?? mapExpressionParts(expression, mapping),
    bound: (expression) => {
      if (replacing.bound === undefined) return mapping.expression(expression);
      return replacing.bound(expression) ?? mapExpressionParts(expression, mapping);
    },
    call: (call) => mapCallParts(call, mapping),
    scan: (scan) => replacing.scan?.(scan) ?? mapScanInputs(mapping.own(scan), mapping),
    own: (scan) => mapScanExpressions(scan, mapping),
    definition: define,
    reference: define,
  };
  return mapping;
}

/** The step of a recursion reads the definition that was made of its own. */
function readInstead(step: Scan, from: CteDefinition, to: CteDefinition): Scan {
  return createMapping({ definition: (cte) => (cte === from ? to : cte) }).scan(step);
}
