import { parseQuery } from "../../googlesql/parse.ts";
import type { Endpoint, EndpointDefinition } from "./definition.ts";

/**
 * An endpoint from an unchecked definition: its contract has the declared parameters and no columns. Throws
 * `GoogleSqlError` when the query does not parse.
 */
export function draftEndpoint(definition: EndpointDefinition, more: Partial<Endpoint> = {}): Endpoint {
  return {
    definition,
    version: 1,
    savedQuery: parseQuery(definition.query),
    sourceText: definition.query,
    origin: { kind: "api" },
    contract: { parameters: definition.parameters, columns: [] },
    reads: [],
    ...more,
  };
}
