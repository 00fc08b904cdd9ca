import type { ContractColumn } from "../endpoints/definition/definition.ts";
import { rowSchema } from "../openapi/column-schema.ts";
import type { JsonSchema } from "../openapi/open-api-document.ts";
import { formatIsoTimestamp } from "../values/iso-timestamp.ts";
import type { BoundedRows } from "./read-rows.ts";
import { answerBounds } from "./row-collector.ts";
import { markUntrusted, untrustedNotice } from "./untrusted.ts";

/** The answer of a tool: texts for the model, and the same as data. */
export interface ToolAnswer {
  readonly texts: readonly string[];
  readonly data: Readonly<Record<string, unknown>>;
}

/** Arguments that a further call adds to go on. */
type NextStep = { readonly cursor: string } | { readonly limit: number };

/**
 * The schema of an answer with rows of these columns. More columns may come: which ones a tenant's events carry is not
 * in what is said of an endpoint.
 */
export function rowsSchema(columns: readonly ContractColumn[]): JsonSchema {
  const { properties = {} } = rowSchema(columns);
  return {
    type: "object",
    properties: {
      rows: { type: "array", items: { type: "object", properties } },
      row_count: { type: "integer", description: "Rows in this answer" },
      total_rows: { type: ["integer", "null"], description: "Rows of the whole answer; null: not known" },
      is_complete: { type: "boolean", description: "True if no row and no text was left out" },
      cut_by: { type: ["string", "null"], description: "The bound that left rows out: rows or characters" },
      cut_values: { type: "integer", description: `Texts cut at ${answerBounds.valueCharacters} characters` },
      next: {
        type: ["object", "null"],
        description: "Add this to the same arguments to go on",
        properties: { cursor: { type: "string" }, limit: { type: "integer" } },
      },
      data_through: { type: ["string", "null"], description: "Time of the newest event that the query could read" },
      warnings: {
        type: "array",
        items: { type: "object" },
        description: "What the query can hardly mean, with places",
      },
      notice: { type: "string" },
    },
    required: ["rows", "row_count", "total_rows", "is_complete", "cut_by", "cut_values", "next", "notice"],
  };
}

/** Describes the rows of a call, what was left out of them, and how to go on. */
export function answerRows(answer: BoundedRows): ToolAnswer {
  const { rows, cutBy, cutValues, totalRows, dataThroughUs, text, warnings } = answer;
  const next = nextStep(answer);
  const isComplete = cutBy === undefined && next === null && cutValues === 0;
  const dataThrough = dataThroughUs === undefined ? null : formatIsoTimestamp(dataThroughUs);
  const through = dataThrough === null ? [] : [`The newest event that could be read is of ${dataThrough}.`];
  return {
    texts: [
      [...describeRows(answer), ...adviseNext(answer, next), ...through].join(" "),
      markUntrusted(text),
      ...warn(warnings),
    ],
    data: {
      rows,
      row_count: rows.length,
      total_rows: totalRows ?? null,
      is_complete: isComplete,
      cut_by: cutBy ?? null,
      cut_values: cutValues,
      next,
      data_through: dataThrough,
      ...(warnings.length === 0 ? {} : { warnings }),
      notice: untrustedNotice,
    },
  };
}

/** A query over a field that nobody has sent runs, and answers NULL: a misspelt name would pass for an answer. */
function warn(warnings: BoundedRows["warnings"]): readonly string[] {
  if (warnings.length === 0) return [];
  const lines = warnings.map(
    ({ message, line, column, excerpt }) => `Line ${line}, column ${column}: ${message}\n${excerpt}`,
  );
  return ["The query ran, but probably does not mean this:", markUntrusted(lines.join("\n"))];
}

/** Without a cursor, a smaller page is whole and has one, where the rows have an order in time. */
function nextStep({ cursor, rows, cutBy, totalRows }: BoundedRows): NextStep | null {
  if (cursor !== undefined) return { cursor };
  return cutBy !== undefined && totalRows !== undefined && rows.length > 0 ? { limit: rows.length } : null;
}

function describeRows({ rows, cutBy, cutValues, totalRows, cursor }: BoundedRows): readonly string[] {
  const shown = `${rows.length} ${rows.length === 1 ? "row" : "rows"}`;
  const whole = totalRows === undefined ? "how many there are is not known" : `there are ${totalRows}`;
  const texts =
    cutValues === 0
      ? []
      : [
          `${cutValues} ${cutValues === 1 ? "text was" : "texts were"} cut at ${answerBounds.valueCharacters} characters.`,
        ];
  if (cutBy !== undefined) {
    const bound = cutBy === "rows" ? "the number of rows" : `${answerBounds.characters} characters`;
    return [`${shown}, cut by ${bound}; ${whole}.`, ...texts];
  }
  if (cursor !== undefined) return [`${shown}, a full page; there may be more, ${whole}.`, ...texts];
  return [totalRows === undefined ? `${shown}, the last ones.` : `${shown}: all there are.`, ...texts];
}

function adviseNext({ cutBy, cutValues, rows }: BoundedRows, next: NextStep | null): readonly string[] {
  const narrower =
    "narrow the time or the conditions, select fewer columns, or count and group instead of listing rows";
  if (next !== null) {
    const argument = "cursor" in next ? `cursor ${JSON.stringify(next.cursor)}` : `limit ${next.limit}`;
    return [`To go on, call again with the same arguments and ${argument}; or ${narrower}.`];
  }
  if (cutBy === "characters" && rows.length === 0) return ["The first row alone is too long: select fewer columns."];
  if (cutBy === "rows") return [`To see more, set limit; or ${narrower}.`];
  if (cutBy === "characters") return [`To see the rest, ${narrower}.`];
  return cutValues > 0 ? ["To see a whole text, select it alone, in parts, by SUBSTR."] : [];
}
