import type { Expression, Query, SelectItem } from "../../googlesql/ast.ts";
import type { Span } from "../../googlesql/diagnostic.ts";
import { parseQuery } from "../../googlesql/parse.ts";
import { call, cast, identifier, select, text } from "../../lql/sql-nodes.ts";
import type { QueryShape } from "./query-shape.ts";
import { fieldOfRow, selectFromRows } from "./select-rows.ts";

/** The options of a question about the messages of a query's rows. */
export interface Patterns {
  /** The field that holds the message. */
  readonly field: readonly string[];
  /** How many of the most frequent patterns are reported. */
  readonly count: number;
}

/** A pattern of messages, as the shape's query answers it. */
export interface PatternRow {
  readonly pattern: string | null;
  readonly count: number;
  /** Has the type of the rows' `timestamp`. */
  readonly first_seen: unknown;
  readonly last_seen: unknown;
  readonly example: string | null;
  /** The totals over all patterns: the number of rows, and of patterns. */
  readonly total_rows: number;
  readonly total_patterns: number;
}

const hex = "[0-9a-fA-F]";
const ipv6 = `(?:${hex}{1,4}:){7}${hex}{1,4}|(?:${hex}{1,4}:)*${hex}{1,4}::(?:${hex}{1,4}(?::${hex}{1,4})*)?`;

/** The parts that vary between messages of one kind, in the order in which they are masked (RE2). */
export const masks: readonly (readonly [pattern: string, mask: string])[] = [
  [`"(?:[^"\\\\]|\\\\.)*"`, '"<text>"'],
  [`(^|[\\s=:(\\[,])'[^']*'`, "\\1'<text>'"],
  [`${hex}{8}-(?:${hex}{4}-){3}${hex}{12}`, "<uuid>"],
  ["\\d{4}-\\d{2}-\\d{2}[T ]\\d{2}:\\d{2}(?::\\d{2}(?:[.,]\\d+)?)?(?:Z|[+-]\\d{2}:?\\d{2})?", "<time>"],
  ["\\b\\d{1,2}:\\d{2}:\\d{2}(?:[.,]\\d+)?\\b", "<time>"],
  ["[\\w.+-]+@[\\w-]+(?:\\.[\\w-]+)+", "<email>"],
  ["\\b\\d{1,3}(?:\\.\\d{1,3}){3}(?::\\d+)?\\b", "<ip>"],
  [`\\b(?:${ipv6})`, "<ip>"],
  ["\\b\\d+(?:\\.\\d+)?\\b", "<n>"],
  [`\\b(?:0x${hex}+|${hex}{8,})\\b`, "<hex>"],
  ["\\d+", "<n>"],
];

const grouped = `SELECT pattern, COUNT(*) AS count,
  MIN(time) AS first_seen, MAX(time) AS last_seen, MIN(message) AS example,
  SUM(COUNT(*)) OVER () AS total_rows, COUNT(*) OVER () AS total_patterns
FROM messages GROUP BY pattern ORDER BY count DESC, pattern LIMIT `;

/**
 * The kinds of messages of a query's rows, most frequent first: messages are of one kind if they differ only in
 * numbers, identifiers, addresses, times and quoted texts. The rows need the column `timestamp` and the field.
 */
export function patternsShape(patterns: Patterns): QueryShape {
  const { field, count } = patterns;
  return {
    key: JSON.stringify(["patterns", patterns]),
    made: ["patterns", patterns],
    maxRows: count,
    apply(rows) {
      const { span } = rows;
      const message = cast(fieldOfRow(field, span), "STRING", false, span);
      const items: readonly SelectItem[] = [
        select(masked(message, span), "pattern", span),
        select(message, "message", span),
        select(fieldOfRow(["timestamp"], span), "time", span),
      ];
      const inner: Query = { kind: "Query", body: selectFromRows(rows, items, undefined), pipes: [], span };
      const outer = placeAt(parseQuery(grouped + count), span);
      if (outer.body.kind !== "Select") throw new Error("The query of patterns is no SELECT");
      const alias = identifier("messages", span);
      return {
        ...outer,
        body: { ...outer.body, from: { kind: "TableSubquery", query: inner, alias, suffixes: [], span } },
      };
    },
  };
}

function masked(message: Expression, span: Span): Expression {
  return masks.reduce<Expression>(
    (value, [pattern, mask]) => call("REGEXP_REPLACE", [value, text(pattern, span), text(mask, span)], span),
    message,
  );
}

/** A query of ours, with the place in the caller's text at which its errors are shown. */
function placeAt<T>(node: T, span: Span): T {
  if (Array.isArray(node)) return node.map((each) => placeAt(each, span)) as T;
  if (typeof node !== "object" || node === null) return node;
  const entries = Object.entries(node).map(([key, value]) => [key, key === "span" ? span : placeAt(value, span)]);
  return Object.fromEntries(entries) as T;
}
