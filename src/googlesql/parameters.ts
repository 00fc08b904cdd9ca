import { nodesOf } from "./ast/walk.ts";
import type { Parameter, Query } from "./ast.ts";

/** A parameter of a query and where it is first written. */
export interface FoundParameter {
  /** The name as first written, without `@`, or the position of a `?`. */
  readonly key: string | number;
  readonly span: Parameter["span"];
}

/** The parameters that a query names, in the order of their first places; `@Name` and `@name` are one. */
export function findParameters(query: Query): readonly FoundParameter[] {
  const unique = new Map<string | number, FoundParameter>();
  for (const { name, position, span } of nodesOf(query, "Parameter")) {
    const key = name?.toLowerCase() ?? position ?? 0;
    if (!unique.has(key)) unique.set(key, { key: name ?? position ?? 0, span });
  }
  return [...unique.values()];
}
