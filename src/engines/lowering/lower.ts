import type { ResolvedQuery } from "../../googlesql/resolved.ts";
import { type Analysis, analyse } from "./analysis.ts";
import { filterEarly } from "./early-filters.ts";
import { readMadeStructs } from "./made-structs.ts";
import { inlineRowless } from "./rowless-queries.ts";

/** A query as engines compile it, and what is known of it. */
export interface LoweredQuery {
  readonly query: ResolvedQuery;
  readonly analysis: Analysis;
}

/** Rewrites the query for the engines, by the passes that both need, and analyses it. */
export function lowerQuery(resolved: ResolvedQuery): LoweredQuery {
  let lowered: LoweredQuery = { query: resolved, analysis: analyse(resolved) };
  for (const pass of [inlineRowless, readMadeStructs, filterEarly]) {
    const query = pass(lowered.query, lowered.analysis);
    if (query !== lowered.query) lowered = { query, analysis: analyse(query) };
  }
  return lowered;
}
