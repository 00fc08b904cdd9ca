import type { Parameter, Query } from "./ast.ts";

/** A parameter of a query and where it is first written. */
export interface FoundParameter {
  /** The name as first written, without `@`, or the position of a `?`. */
  readonly key: string | number;
  readonly span: Parameter["span"];
}

/** The parameters that a query names, in the order of their first places; `@Name` and `@name` are one. */
export function findParameters(query: Query): readonly FoundParameter[] {
  const found: Parameter[] = [];
  const open: unknown[] = [query];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== "object" || node === null) continue;
    if (isParameter(node)) found.push(node);
    else for (const value of Object.values(node)) if (typeof value === "object") open.push(value);
  }
  found.sort((a, b) => a.span.start - b.span.start);
  const unique = new Map<string | number, FoundParameter>();
  for (const { name, position, span } of found) {
    const key = name?.toLowerCase() ?? position ?? 0;
    if (!unique.has(key)) unique.set(key, { key: name ?? position ?? 0, span });
  }
  return [...unique.values()];
}

function isParameter(node: object): node is Parameter {
  return "kind" in node && node.kind === "Parameter";
}
