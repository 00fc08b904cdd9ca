import type { Source } from "../../sources/source.ts";
import { createTarget, declareParameter, type QueryTarget } from "../definition/query-target.ts";

/** The prefix of a source's name where it is called like an endpoint. No endpoint's name has a colon. */
export const sourceScopePrefix = "source:";

/** Sources as targets with one table, for owners. */
export interface SourceScopes {
  /** By the source's name, alias or id; undefined where there is none. The same object as long as the source is. */
  find(name: string): QueryTarget | undefined;
}

/** Rows that one call of a source answers at most. */
const maxRows = 10_000;

/**
 * Lets a source be called like an endpoint that is sandboxed: its only table is the source, between
 * `iso_timestamp_start` and `iso_timestamp_end` where they are sent.
 */
export function createSourceScopes(sources: { find(nameOrId: string): Source | undefined }): SourceScopes {
  const made = new WeakMap<Source, QueryTarget>();
  return {
    find(name) {
      const source = sources.find(name);
      if (source === undefined) return undefined;
      const scope = made.get(source) ?? createScope(source);
      made.set(source, scope);
      return scope;
    },
  };
}

function createScope({ name, aliases }: Source): QueryTarget {
  const table = `\`${name}\``;
  const query = `WITH ${table} AS (
  SELECT * FROM ${table}
  WHERE (@iso_timestamp_start IS NULL OR timestamp > @iso_timestamp_start)
    AND (@iso_timestamp_end IS NULL OR timestamp <= @iso_timestamp_end)
)
SELECT * FROM ${table} ORDER BY timestamp DESC LIMIT 100`;
  return createTarget({
    id: `scope:${name}`,
    name: `${sourceScopePrefix}${name}`,
    query,
    maxRows,
    isSandboxed: true,
    parameters: [
      declareParameter("iso_timestamp_start", "timestamp", { description: "Only events strictly after it" }),
      declareParameter("iso_timestamp_end", "timestamp", { description: "Only events at or before it" }),
    ],
    tableAliases: Object.fromEntries(aliases.map((alias) => [alias, name])),
  });
}
