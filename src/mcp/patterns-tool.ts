import { prepareFairly } from "../endpoints/call/prepare/prepare-call.ts";
import type { QueryCall } from "../endpoints/call/prepare/query-call.ts";
import { readToEnd, runPrepared } from "../endpoints/call/run/run-prepared.ts";
import { withQuery } from "../endpoints/explore/all-rows.ts";
import { type PatternRow, patternsShape } from "../endpoints/explore/patterns-query.ts";
import type { OutputColumn } from "../engines/contract/query-engine.ts";
import type { JsonSchema } from "../openapi/open-api-document.ts";
import { splitValues } from "../values/json/split-json.ts";
import type { McpCaller } from "./mcp-caller.ts";
import { readableTimes } from "./readable-times.ts";
import { RowCollector } from "./row-collector.ts";
import type { ToolAnswer } from "./rows-answer.ts";
import { markUntrusted, untrustedNotice } from "./untrusted.ts";

export const patternsOutput: JsonSchema = {
  type: "object",
  properties: {
    patterns: {
      type: "array",
      items: {
        type: "object",
        properties: {
          pattern: { type: ["string", "null"] },
          count: { type: "integer" },
          first_seen: { type: ["string", "null"], description: "ISO 8601 in UTC, for a TIMESTAMP" },
          last_seen: { type: ["string", "null"] },
          example: { type: ["string", "null"] },
        },
      },
    },
    total_rows: { type: "integer", description: "Rows that were read" },
    total_patterns: { type: "integer", description: "Patterns that they have" },
    cut_values: { type: "integer", description: "Texts that were cut" },
    is_complete: { type: "boolean", description: "True if every pattern is reported, each whole" },
    notice: { type: "string" },
  },
  required: ["patterns", "total_rows", "total_patterns", "cut_values", "is_complete", "notice"],
};

/** Which messages are reported, and how many. */
export interface PatternsRequest {
  readonly table: string | undefined;
  readonly field: readonly string[];
  readonly top: number;
}

const STRING = { kind: "STRING" } as const;
const columns: readonly OutputColumn[] = [
  { name: "pattern", type: STRING },
  { name: "count", type: { kind: "INT64" } },
  { name: "first_seen", type: STRING },
  { name: "last_seen", type: STRING },
  { name: "example", type: STRING },
];

/** Counts the kinds of messages of a call's rows: a run of its query in another shape, with all that holds for runs. */
export async function answerPatterns(
  caller: McpCaller,
  call: QueryCall,
  { table, field, top }: PatternsRequest,
): Promise<ToolAnswer> {
  const { runner, identity } = caller;
  const turn = { caller: identity.tokenId, openSignal: call.openSignal };
  const checked = { ...call, parameters: withQuery(call.parameters, call.target, table) };
  // What is wrong with the caller's own text is reported as by a plain call of it.
  await prepareFairly(runner, checked, turn);
  const prepared = await prepareFairly(runner, { ...checked, shape: patternsShape({ field, count: top }) }, turn);
  const toReadable = readableTimes(prepared.query.columns);
  const run = runPrepared(runner, prepared, call.openSignal(), caller.runOptions());
  const { batches } = await readToEnd(run);
  const rows = batches.flatMap((json) => [...splitValues(json)]).map((row): PatternRow => JSON.parse(toReadable(row)));
  const collector = new RowCollector(columns, caller.openWriter("csv", columns));
  for (const { pattern, count, first_seen, last_seen, example } of rows) {
    const times = { first_seen: timeText(first_seen), last_seen: timeText(last_seen) };
    if (!collector.take(JSON.stringify({ pattern, count, ...times, example }))) break;
  }
  const { text, rows: patterns, cutValues } = collector.taken();
  const { total_rows: totalRows, total_patterns: totalPatterns } = rows[0] ?? { total_rows: 0, total_patterns: 0 };
  const isAll = patterns.length === totalPatterns;
  const shown = isAll ? "all are" : `the ${patterns.length} most frequent are`;
  const count = `${totalPatterns} ${totalPatterns === 1 ? "pattern" : "patterns"}`;
  const cut = cutValues === 0 ? "" : ` ${cutValues} texts were cut.`;
  const next = isAll ? "" : " To see others, set top, or leave out by a condition what is known.";
  return {
    texts: [`${totalRows} rows have ${count}; ${shown} below.${cut}${next}`, markUntrusted(text)],
    data: {
      patterns,
      total_rows: totalRows,
      total_patterns: totalPatterns,
      cut_values: cutValues,
      is_complete: isAll && cutValues === 0,
      notice: untrustedNotice,
    },
  };
}

/** A caller's query may have times of another type as its column `timestamp`, such as numbers. */
const timeText = (time: unknown): string | null => (time === null ? null : String(time));
