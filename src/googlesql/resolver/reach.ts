import type { Scan } from "../resolved.ts";

/** What a scan reads: common table expressions, also through each other, and parameters. */
export interface Reached {
  readonly ctes: ReadonlySet<number>;
  readonly parameters: ReadonlySet<string | number>;
}

/** Walks the whole tree below a scan without recursion. */
export function reachableFrom(scan: Scan): Reached {
  const ctes = new Set<number>();
  const parameters = new Set<string | number>();
  const open: unknown[] = [scan];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== "object" || node === null) continue;
    if (Array.isArray(node)) {
      for (const item of node) open.push(item);
      continue;
    }
    const { kind, cte, key } = node as {
      readonly kind?: unknown;
      readonly cte?: { readonly id: number };
      readonly key?: string | number;
    };
    // A table's definition and a column's type hold nothing that is read.
    if (kind === "Table" || kind === "RECORD" || kind === "STRUCT" || kind === "MIXED") continue;
    if (kind === "Cte" && cte !== undefined) {
      if (ctes.has(cte.id)) continue;
      ctes.add(cte.id);
    }
    if (kind === "Parameter" && key !== undefined) parameters.add(key);
    for (const value of Object.values(node)) if (typeof value === "object") open.push(value);
  }
  return { ctes, parameters };
}
