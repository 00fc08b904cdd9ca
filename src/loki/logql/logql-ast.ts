/** LogQL's syntax tree: https://grafana.com/docs/loki/latest/query/. Offsets count UTF-16 units of the query's text. */

/** A comparison of a label with a text. Regular expressions match the whole value. */
export interface Matcher {
  readonly name: string;
  readonly operator: "=" | "!=" | "=~" | "!~";
  readonly value: string;
  readonly at: number;
}

export type ComparisonOperator = "==" | "!=" | ">" | ">=" | "<" | "<=";

/** A condition on the labels of a line. */
export type LabelFilter =
  | { readonly kind: "and" | "or"; readonly left: LabelFilter; readonly right: LabelFilter }
  | { readonly kind: "text"; readonly matcher: Matcher }
  | {
      readonly kind: "number";
      readonly name: string;
      readonly operator: ComparisonOperator;
      /** A plain number, nanoseconds, or bytes. */
      readonly unit: "number" | "duration" | "bytes";
      readonly value: number;
    }
  | { readonly kind: "ip"; readonly name: string; readonly isNegated: boolean; readonly range: string };

/** A condition on the line: one of the alternatives holds, or with `isNegated` none of them. */
export interface LineFilter {
  readonly kind: "line";
  readonly test: "contains" | "regexp" | "pattern";
  readonly isNegated: boolean;
  readonly alternatives: readonly { readonly text: string; readonly isIp: boolean; readonly at: number }[];
}

/** A label, and where a parser finds its value. */
export interface Extraction {
  readonly name: string;
  readonly expression: string;
  readonly at: number;
}

/** A label to drop or keep; with a matcher only where its value matches. */
export interface ChosenLabel {
  readonly name: string;
  readonly matcher: Matcher | undefined;
}

/** A label that is made: from another, which it replaces, or by a template. */
export interface LabelFormat {
  readonly name: string;
  readonly from: { readonly label: string } | { readonly template: string };
  readonly at: number;
}

export type Stage =
  | LineFilter
  | { readonly kind: "filter"; readonly filter: LabelFilter }
  | { readonly kind: "json"; readonly extractions: readonly Extraction[] }
  | {
      readonly kind: "logfmt";
      readonly extractions: readonly Extraction[];
      readonly isStrict: boolean;
      readonly keepsEmpty: boolean;
    }
  | { readonly kind: "regexp" | "pattern" | "line_format"; readonly text: string; readonly at: number }
  | { readonly kind: "unpack" | "decolorize" }
  | { readonly kind: "label_format"; readonly formats: readonly LabelFormat[] }
  | { readonly kind: "drop" | "keep"; readonly labels: readonly ChosenLabel[] };

export interface LogQuery {
  readonly kind: "log";
  readonly matchers: readonly Matcher[];
  readonly stages: readonly Stage[];
  readonly at: number;
}

/** The label whose value is a line's sample, and conditions on the labels behind it. */
export interface Unwrap {
  readonly label: string;
  readonly conversion: "number" | "duration" | "bytes";
  readonly filters: readonly LabelFilter[];
}

export interface Grouping {
  readonly isWithout: boolean;
  readonly labels: readonly string[];
}

export const rangeOperators = [
  "count_over_time",
  "rate",
  "bytes_over_time",
  "bytes_rate",
  "absent_over_time",
  "sum_over_time",
  "avg_over_time",
  "min_over_time",
  "max_over_time",
  "stddev_over_time",
  "stdvar_over_time",
  "quantile_over_time",
  "first_over_time",
  "last_over_time",
] as const;

export type RangeOperator = (typeof rangeOperators)[number];

/** Samples of lines, over a time before each step. Times are microseconds. */
export interface RangeAggregation {
  readonly kind: "range";
  readonly operator: RangeOperator;
  /** The quantile. */
  readonly parameter: number | undefined;
  readonly query: LogQuery;
  readonly unwrap: Unwrap | undefined;
  readonly rangeUs: number;
  readonly offsetUs: number;
  readonly grouping: Grouping | undefined;
  readonly at: number;
}

export const vectorOperators = [
  "sum",
  "avg",
  "min",
  "max",
  "count",
  "stddev",
  "stdvar",
  "topk",
  "bottomk",
  "sort",
  "sort_desc",
] as const;

export type VectorOperator = (typeof vectorOperators)[number];

export interface VectorAggregation {
  readonly kind: "aggregate";
  readonly operator: VectorOperator;
  /** The number of series of topk and bottomk. */
  readonly parameter: number | undefined;
  readonly grouping: Grouping | undefined;
  readonly inner: MetricQuery;
  readonly at: number;
}

export type BinaryOperator = "or" | "and" | "unless" | ComparisonOperator | "+" | "-" | "*" | "/" | "%" | "^";

/** Those that bind less come first; all but `^` group from the left. */
export const precedence: Readonly<Record<BinaryOperator, number>> = {
  ...{ or: 1, and: 2, unless: 2 },
  ...{ "==": 3, "!=": 3, ">": 3, ">=": 3, "<": 3, "<=": 3 },
  ...{ "+": 4, "-": 4, "*": 5, "/": 5, "%": 5, "^": 6 },
};

export interface BinaryOperation {
  readonly kind: "binary";
  readonly operator: BinaryOperator;
  readonly isBool: boolean;
  /** The labels that pair series; all labels unless set. */
  readonly matching: { readonly isOn: boolean; readonly labels: readonly string[] } | undefined;
  /** The side of which several series pair with one of the other, and the labels that it takes over. */
  readonly many: { readonly side: "left" | "right"; readonly include: readonly string[] } | undefined;
  readonly left: MetricQuery;
  readonly right: MetricQuery;
  readonly at: number;
}

export interface LabelReplacement {
  readonly kind: "label_replace";
  readonly inner: MetricQuery;
  readonly target: string;
  readonly replacement: string;
  readonly source: string;
  readonly pattern: string;
  readonly at: number;
}

export type MetricQuery =
  | RangeAggregation
  | VectorAggregation
  | BinaryOperation
  | LabelReplacement
  | { readonly kind: "number" | "vector"; readonly value: number; readonly at: number };

export type LogqlQuery = LogQuery | MetricQuery;
