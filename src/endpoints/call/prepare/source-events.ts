import { createTarget, declareParameter, type QueryTarget } from "../../definition/query-target.ts";

/** The maximum number of events on one page. */
export const maxEvents = 1_000;

/** The newest events of a source, newest first; of those after a time where the call has one. */
export function createSourceEvents(source: string): QueryTarget {
  return createTarget({
    id: `source:${source}`,
    query: `SELECT timestamp, id, event_message, metadata
FROM \`${source}\`
WHERE @after IS NULL OR timestamp > @after
ORDER BY timestamp DESC
LIMIT 100`,
    maxRows: maxEvents,
    parameters: [declareParameter("after", "timestamp")],
  });
}
