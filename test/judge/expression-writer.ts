/** Expressions by the type that they give, over the columns of a scope. */
import type { Choices } from "./choices.ts";

/** INEXACT is a FLOAT64 that depends on the order of what was added: it is compared and sorted, and not computed with. */
export type Kind = "INT64" | "STRING" | "FLOAT64" | "BOOL" | "TIMESTAMP" | "ARRAY" | "STRUCT" | "INEXACT";

export interface Ref {
  readonly text: string;
  readonly kind: Kind;
}

/** The columns that expressions may read. */
export interface Scope {
  readonly refs: readonly Ref[];
  /** Columns that together are another value in each row; undefined where there are none. */
  readonly keys?: readonly string[] | undefined;
}

export const NOTHING: Scope = { refs: [], keys: [] };
export const SCALARS = ["INT64", "STRING", "FLOAT64", "BOOL", "TIMESTAMP"] as const;

/** With empty matches among them. */
const PATTERNS = ["a", "b*", "", "a|", "(b)?", "^", "$", "[ab]+", "(a)b", "x*", "(a*)", "\\\\bb"];
/** Writes sub-queries of one column. */
export interface SubqueryWriter {
  scalar(kind: Kind, outer: Scope, depth: number): string;
  column(kind: Kind, outer: Scope, depth: number): string;
}

type Forms = readonly (() => string)[];

export class ExpressionWriter {
  readonly #choices: Choices;
  readonly #subqueries: SubqueryWriter;

  constructor(choices: Choices, subqueries: SubqueryWriter) {
    this.#choices = choices;
    this.#subqueries = subqueries;
  }

  /** A column of the kind, or a literal where there is none. */
  leaf(kind: Kind, { refs }: Scope): string {
    const own = refs.filter((ref) => ref.kind === kind);
    return own.length === 0 ? this.literal(kind) : this.#choices.pick(own).text;
  }

  literal(kind: Kind): string {
    const { pick } = { pick: (texts: readonly string[]) => this.#choices.pick(texts) };
    switch (kind) {
      case "INT64":
        return pick(["1", "2", "0", "3", "@n", "CAST(NULL AS INT64)", "@none"]);
      case "STRING":
        return pick(["'a'", "'b'", "''", "@s", "'ab'", "CAST(NULL AS STRING)"]);
      case "FLOAT64":
      case "INEXACT":
        return pick(["0.5", "1.0", "-2.25", "CAST('nan' AS FLOAT64)", "CAST(NULL AS FLOAT64)"]);
      case "BOOL":
        return pick(["TRUE", "FALSE", "CAST(NULL AS BOOL)"]);
      case "TIMESTAMP":
        return pick(["TIMESTAMP '2020-01-01 00:00:00+00'", "CAST(NULL AS TIMESTAMP)"]);
      case "ARRAY":
        return pick(["[1, 2]", "ARRAY<INT64>[]", "[2]", "CAST(NULL AS ARRAY<INT64>)"]);
      case "STRUCT":
        return pick(["STRUCT(1 AS a, 'b' AS b)", "STRUCT(2 AS a, CAST(NULL AS STRING) AS b)"]);
    }
  }

  write(kind: Kind, scope: Scope, depth: number): string {
    if (depth <= 0 || this.#choices.chance(20))
      return this.#choices.chance(25) ? this.literal(kind) : this.leaf(kind, scope);
    const below = (inner: Kind) => this.write(inner, scope, depth - 1);
    const common: Forms = [
      () => this.leaf(kind, scope),
      () => `IF(${below("BOOL")}, ${below(kind)}, ${below(kind)})`,
      () => `COALESCE(${below(kind)}, ${below(kind)})`,
      () => `CASE WHEN ${below("BOOL")} THEN ${below(kind)} ELSE ${below(kind)} END`,
      ...(kind === "ARRAY" || kind === "STRUCT" ? [] : [() => `(${this.#subqueries.scalar(kind, scope, depth - 1)})`]),
    ];
    const own = this.#forms(kind, below, scope, depth);
    return this.#choices.pick([...own, ...own, ...common])();
  }

  #forms(kind: Kind, below: (kind: Kind) => string, scope: Scope, depth: number): Forms {
    switch (kind) {
      case "INT64":
        return this.#integers(below);
      case "STRING":
        return this.#texts(below);
      case "FLOAT64":
      case "INEXACT":
        return [
          () => `(${below("FLOAT64")} + ${below("FLOAT64")})`,
          () => `CAST(${below("INT64")} AS FLOAT64)`,
          () => `SAFE_DIVIDE(${below("INT64")}, 4)`,
          () => `LEAST(${below("FLOAT64")}, ${below("FLOAT64")})`,
        ];
      case "BOOL":
        return [...this.#comparisons(below), ...this.#memberships(below, scope, depth)];
      case "TIMESTAMP":
        return [
          () => `TIMESTAMP_TRUNC(${below("TIMESTAMP")}, ${this.#choices.pick(["DAY", "HOUR"])})`,
          () => this.leaf("TIMESTAMP", scope),
        ];
      case "ARRAY":
        return [
          () => `[${below("INT64")}, 7]`,
          () => `(${below("ARRAY")} || ${below("ARRAY")})`,
          () => `ARRAY_REVERSE(${below("ARRAY")})`,
          () => `ARRAY(${this.#subqueries.column("INT64", scope, depth - 1)} ORDER BY 1)`,
        ];
      case "STRUCT":
        return [() => `STRUCT(${below("INT64")} AS a, ${below("STRING")} AS b)`];
    }
  }

  #integers(below: (kind: Kind) => string): Forms {
    const { pick } = { pick: (texts: readonly string[]) => this.#choices.pick(texts) };
    return [
      () => `(${below("INT64")} + ${below("INT64")})`,
      () => `(${below("INT64")} - ${below("INT64")})`,
      () => `(${below("INT64")} * 2)`,
      () => `-${below("INT64")}`.replace(/^--/, "- -"),
      () => `MOD(${below("INT64")}, 3)`,
      () => `NULLIF(${below("INT64")}, ${below("INT64")})`,
      () => `LENGTH(${below("STRING")})`,
      () => `ARRAY_LENGTH(${below("ARRAY")})`,
      () => `${below("ARRAY")}[SAFE_OFFSET(${below("INT64")})]`,
      () => `ARRAY_LENGTH(REGEXP_EXTRACT_ALL(${below("STRING")}, '${pick(PATTERNS)}'))`,
      () => `CAST(${below("BOOL")} AS INT64)`,
      () => `GREATEST(${below("INT64")}, ${below("INT64")})`,
      () => `EXTRACT(HOUR FROM ${below("TIMESTAMP")})`,
      () => `(${below("STRUCT")}).a`,
      () => `SAFE_CAST(${below("STRING")} AS INT64)`,
      () => `DIV(${below("INT64")}, ${pick(["2", "NULLIF(0, 0)"])})`,
    ];
  }

  #texts(below: (kind: Kind) => string): Forms {
    const { pick } = { pick: (texts: readonly string[]) => this.#choices.pick(texts) };
    return [
      () => `CONCAT(${below("STRING")}, ${below("STRING")})`,
      () => `(${below("STRING")} || 'b')`,
      () => `UPPER(${below("STRING")})`,
      () => `SUBSTR(${below("STRING")}, ${pick(["1", "2", "-1", "0"])}, ${pick(["1", "0", "5"])})`,
      () => `REGEXP_EXTRACT(${below("STRING")}, '${pick(PATTERNS)}')`,
      () => `REGEXP_REPLACE(${below("STRING")}, '${pick(PATTERNS)}', '${pick(["-", "", "<\\\\0>"])}')`,
      () => `REGEXP_EXTRACT_ALL(${below("STRING")}, '${pick(PATTERNS)}')[SAFE_OFFSET(${pick(["0", "1", "2"])})]`,
      () => `CAST(${below("INT64")} AS STRING)`,
      () => `(${below("STRUCT")}).b`,
    ];
  }

  #comparisons(below: (kind: Kind) => string): Forms {
    const operator = () => this.#choices.pick(["=", "<", ">=", "!=", "<=", ">"]);
    const compared = () => this.#choices.pick(SCALARS);
    const two = (join: string) => {
      const kind = compared();
      return `(${below(kind)} ${join} ${below(kind)})`;
    };
    return [
      () => `(${below("INT64")} ${operator()} ${below("INT64")})`,
      () => two(operator()),
      () => two(this.#choices.pick(["IS DISTINCT FROM", "IS NOT DISTINCT FROM"])),
      () => `(${below(compared())} IS ${this.#choices.pick(["", "NOT "])}NULL)`,
      () => `(${below("INT64")} BETWEEN ${below("INT64")} AND ${below("INT64")})`,
      () => `(NOT (${below("BOOL")}))`,
      () => `(${below("BOOL")} AND ${below("BOOL")})`,
      () => `(${below("BOOL")} OR ${below("BOOL")})`,
      () => `(${below("BOOL")} IS ${this.#choices.pick(["TRUE", "NOT TRUE", "FALSE"])})`,
      () => `STARTS_WITH(${below("STRING")}, ${below("STRING")})`,
      () => `REGEXP_CONTAINS(${below("STRING")}, '${this.#choices.pick(PATTERNS)}')`,
    ];
  }

  #memberships(below: (kind: Kind) => string, scope: Scope, depth: number): Forms {
    const not = () => this.#choices.pick(["", "NOT "]);
    const inside = (kind: Kind) => this.#subqueries.column(kind, scope, depth - 1);
    return [
      () => `(${below("INT64")} ${not()}IN (${below("INT64")}, ${below("INT64")}))`,
      () => `(${below("INT64")} ${not()}IN UNNEST(${below("ARRAY")}))`,
      () => `(${below("INT64")} ${not()}IN (${inside("INT64")}))`,
      () => `(${below("STRING")} ${not()}IN (${inside("STRING")}))`,
      () => `${not()}EXISTS(${inside("INT64")})`,
    ];
  }
}
