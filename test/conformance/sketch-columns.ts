import { parseQuery } from "../../src/googlesql/parse.ts";
import { resolveQuery } from "../../src/googlesql/resolver/resolve.ts";

/** Functions whose result is a sketch: bytes in a form of the implementation's own. */
const SKETCHES = /^(?:HLL_COUNT|KLL_QUANTILES)\.(?:INIT|MERGE_PARTIAL)/;

interface Definition {
  readonly column: { readonly id: number };
  readonly expression?: { readonly kind: string; readonly column?: { readonly id: number } };
  readonly call?: { readonly function: string };
}

/** Finds the definition of each column of a resolved query, by the column's id. */
function definitionsIn(query: object): ReadonlyMap<number, Definition> {
  const found = new Map<number, Definition>();
  const seen = new Set<object>();
  const pending: object[] = [query];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    if ("column" in at && ("call" in at || "expression" in at))
      found.set((at as Definition).column.id, at as Definition);
    for (const value of Object.values(at)) if (typeof value === "object" && value !== null) pending.push(value);
  }
  return found;
}

/**
 * Which columns of the query's result are sketches. Their bytes can be stored and merged, and mean nothing to another
 * implementation: no two can be compared.
 */
export function findSketchColumns(text: string): readonly boolean[] {
  try {
    const query = resolveQuery(parseQuery(text), text, {
      tables: { findTable: () => undefined, tableNames: () => [] },
      parameters: new Map(),
      inferParameters: true,
    });
    const definitions = definitionsIn(query);
    const isSketch = (id: number): boolean => {
      const { call, expression } = definitions.get(id) ?? {};
      if (call !== undefined) return SKETCHES.test(call.function);
      return expression?.kind === "Column" && expression.column !== undefined && isSketch(expression.column.id);
    };
    return query.columns.map(({ column }) => isSketch(column.id));
  } catch {
    return [];
  }
}
