import type { ResolvedQuery, Scan } from "../../../googlesql/resolved.ts";
import { INT64 } from "../../../googlesql/types.ts";

/**
 * The query with a limit of its own just above `maxRows`, unless it has one: then an engine sorts and reads no more
 * than what can be answered, and still sees that there was more.
 */
export function capRows(query: ResolvedQuery, maxRows: number): ResolvedQuery {
  return { ...query, scan: cap(query.scan, maxRows + 1) };
}

function cap(scan: Scan, rows: number): Scan {
  if (scan.kind === "With") return { ...scan, input: cap(scan.input, rows) };
  if (scan.kind === "Limit") return scan;
  return {
    kind: "Limit",
    input: scan,
    count: { kind: "Literal", type: INT64, value: String(rows), span: { start: 0, end: 0 } },
  };
}
