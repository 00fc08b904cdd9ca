import type { Span } from "../googlesql/diagnostic.ts";

interface Node {
  readonly span: Span;
}

/** A parsed LQL text. */
export interface LqlQuery extends Node {
  /** The table of `f:`. */
  readonly from: (Node & { readonly name: string }) | undefined;
  /** The columns of `s:`, in order. */
  readonly selects: readonly LqlSelect[];
  readonly chart: LqlChart | undefined;
  readonly filter: LqlFilter | undefined;
}

/** `s:path`, `s:path@alias`, `s:*`. */
export interface LqlSelect extends Node {
  /** Undefined for `*`. */
  readonly path: readonly string[] | undefined;
  readonly alias: string | undefined;
}

export const chartAggregates = ["avg", "count", "countd", "sum", "max", "min", "p50", "p95", "p99"] as const;
export type ChartAggregate = (typeof chartAggregates)[number];
export type ChartPeriod = "SECOND" | "MINUTE" | "HOUR" | "DAY";

/** All `c:` clauses together. */
export interface LqlChart extends Node {
  readonly aggregate: ChartAggregate;
  /** Undefined for `*`. */
  readonly path: readonly string[] | undefined;
  readonly period: ChartPeriod;
}

/** A condition on a row. */
export type LqlFilter = LqlGroup | LqlNegation | LqlMessage | LqlComparison;

interface LqlGroup extends Node {
  readonly kind: "And" | "Or";
  /** Two or more. */
  readonly operands: readonly LqlFilter[];
}

/** `-clause`: also true where the clause is about a field that is missing. */
interface LqlNegation extends Node {
  readonly kind: "Not";
  readonly operand: LqlFilter;
}

/** A word or a quoted text, looked for in the event message; `~` makes it a regular expression. */
interface LqlMessage extends Node {
  readonly kind: "Message";
  readonly text: string;
  readonly isPattern: boolean;
}

export type LqlOperator = "=" | ">" | ">=" | "<" | "<=" | "matches" | "includes" | "includes-match";

/** `path:value` and its other operators. */
export interface LqlComparison extends Node {
  readonly kind: "Comparison";
  readonly path: readonly string[];
  readonly operator: LqlOperator;
  readonly value: LqlValue;
}

export type LqlValue =
  | { readonly kind: "Null" }
  | { readonly kind: "Text"; readonly text: string }
  | { readonly kind: "Number"; readonly text: string }
  /** Inclusive at both ends. */
  | { readonly kind: "NumberRange"; readonly low: string; readonly high: string }
  /** One of these texts. */
  | { readonly kind: "OneOf"; readonly texts: readonly string[] }
  /** Microseconds since 1970. */
  | { readonly kind: "Instant"; readonly us: bigint }
  /** Inclusive at both ends. */
  | { readonly kind: "InstantRange"; readonly lowUs: bigint; readonly highUs: bigint };
