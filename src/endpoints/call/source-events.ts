import type { Endpoint } from "../definition/definition.ts";
import { draftEndpoint } from "../definition/draft-endpoint.ts";

/** Of one page. */
export const maxEvents = 1_000;

/**
 * An endpoint that nobody can name: the newest events of a source, newest first; of those after a time where the call
 * has one.
 */
export function createSourceEndpoint(source: string): Endpoint {
  const query = `SELECT timestamp, id, event_message, metadata
FROM \`${source}\`
WHERE @after IS NULL OR timestamp > @after
ORDER BY timestamp DESC
LIMIT 100`;
  return draftEndpoint({
    // Apart from every endpoint's, which is a UUID.
    id: `source:${source}`,
    name: `source:${source}`,
    description: undefined,
    query,
    maxRows: maxEvents,
    cacheSeconds: 0,
    warmEverySeconds: undefined,
    isSandboxed: false,
    redactsPii: false,
    parameters: [
      {
        name: "after",
        type: "timestamp",
        isRequired: false,
        allowed: undefined,
        default: null,
        description: undefined,
      },
    ],
    tableAliases: {},
    labels: {},
  });
}
