/** Aggregate and window calls by the type that they give. What depends on the order of rows is ordered wholly. */
import type { Choices } from "./choices.ts";
import type { ExpressionWriter, Kind, Scope } from "./expression-writer.ts";

interface Written {
  readonly text: string;
  readonly kind: Kind;
}

export class AggregateWriter {
  readonly #choices: Choices;
  readonly #expressions: ExpressionWriter;

  constructor(choices: Choices, expressions: ExpressionWriter) {
    this.#choices = choices;
    this.#expressions = expressions;
  }

  #distinct(): string {
    return this.#choices.chance(25) ? "DISTINCT " : "";
  }

  /** ` HAVING MAX x`, or nothing. */
  #having(scope: Scope, depth: number): string {
    if (!this.#choices.chance(15)) return "";
    return ` HAVING ${this.#choices.pick(["MAX", "MIN"])} ${this.#expressions.write(this.#choices.pick(["INT64", "STRING"]), scope, depth)}`;
  }

  #direction(): string {
    return this.#choices.pick(["", " DESC", " NULLS LAST", " DESC NULLS FIRST"]);
  }

  /** An aggregate call over the scope's rows. */
  aggregate(kind: Kind, scope: Scope, depth: number): Written {
    const of = (inner: Kind) => this.#expressions.write(inner, scope, depth);
    const made = this.#choices.pick(this.#aggregates(kind, of, scope, depth))();
    return typeof made === "string" ? { text: made, kind } : made;
  }

  #aggregates(
    kind: Kind,
    of: (kind: Kind) => string,
    scope: Scope,
    depth: number,
  ): readonly (() => string | Written)[] {
    const having = () => this.#having(scope, depth);
    const extreme = () => `${this.#choices.pick(["MIN", "MAX"])}(${of(kind)}${having()})`;
    switch (kind) {
      case "INT64":
        return [...this.#integers(of, scope, depth), extreme];
      case "STRING":
        return [
          extreme,
          () => {
            const text = of("STRING");
            const limit = this.#choices.chance(30) ? " LIMIT 2" : "";
            return `STRING_AGG(${this.#distinct()}${text}, '|' ORDER BY ${text}${this.#choices.pick(["", " DESC"])}${limit})`;
          },
        ];
      case "FLOAT64":
      case "INEXACT":
        return [
          () => `SUM(${of("FLOAT64")}${having()})`,
          extreme,
          () => ({ text: `AVG(${this.#distinct()}${of("INT64")})`, kind: "INEXACT" as const }),
        ];
      case "BOOL":
        return [() => `${this.#choices.pick(["LOGICAL_OR", "LOGICAL_AND"])}(${of("BOOL")}${having()})`, extreme];
      case "TIMESTAMP":
        return [extreme];
      case "ARRAY":
        return [() => this.#list(of, scope)];
      case "STRUCT":
        return [() => `STRUCT(MIN(${of("INT64")}) AS a, MAX(${of("STRING")}) AS b)`];
    }
  }

  #list(of: (kind: Kind) => string, { keys }: Scope): string {
    const value = of("INT64");
    const limit = this.#choices.chance(30) ? ` LIMIT ${this.#choices.pick(["1", "2", "0"])}` : "";
    const nulls = this.#choices.pick([" IGNORE NULLS", ""]);
    if (keys === undefined || keys.length === 0 || this.#choices.chance(40)) {
      return `ARRAY_AGG(${this.#distinct()}${value}${nulls} ORDER BY ${value}${this.#direction()}${limit})`;
    }
    return `ARRAY_AGG(${value}${nulls} ORDER BY ${[of("STRING") + this.#direction(), ...keys].join(", ")}${limit})`;
  }

  #integers(of: (kind: Kind) => string, scope: Scope, depth: number): readonly (() => string)[] {
    const any = () => of(this.#choices.pick(["INT64", "STRING", "FLOAT64", "BOOL", "TIMESTAMP"]));
    const having = () => this.#having(scope, depth);
    const [key] = scope.keys ?? [];
    return [
      () => "COUNT(*)",
      () => `SUM(${this.#distinct()}${of("INT64")}${having()})`,
      () => `COUNT(${this.#distinct()}${any()}${having()})`,
      () => `COUNTIF(${of("BOOL")}${having()})`,
      () => `${this.#choices.pick(["BIT_XOR", "BIT_AND", "BIT_OR"])}(${of("INT64")})`,
      () => `(COALESCE(SUM(${of("INT64")}), 0) + COUNT(*))`,
      ...(key !== undefined && scope.keys?.length === 1
        ? [
            () => `ANY_VALUE(${of("INT64")} HAVING ${this.#choices.pick(["MAX", "MIN"])} ${key})`,
            () => `${this.#choices.pick(["MAX_BY", "MIN_BY"])}(${of("INT64")}, ${key})`,
          ]
        : []),
    ];
  }

  /** A window call; where rows have no order of their own, one that does not need it. */
  window(scope: Scope, depth: number): Written {
    const of = (kind: Kind) => this.#expressions.write(kind, scope, depth);
    const partition = this.#choices.chance(50) ? `PARTITION BY ${of(this.#choices.pick(["INT64", "STRING"]))} ` : "";
    const keys = scope.keys;
    if (keys === undefined || keys.length === 0 || this.#choices.chance(40))
      return this.#amongPeers(of, partition, scope);
    const first = this.#choices.chance(70)
      ? [of(this.#choices.pick(["INT64", "STRING", "FLOAT64"])) + this.#direction()]
      : [];
    const order = `${partition}ORDER BY ${[...first, ...keys].join(", ")}`;
    const nulls = () => this.#choices.pick(["", " IGNORE NULLS"]);
    const framed = `${order}${this.#choices.chance(70) ? ` ROWS ${this.#frame(["1", "2", "0", "@n"])}` : ""}`;
    const forms: readonly (() => string)[] = [
      () => `ROW_NUMBER() OVER (${order})`,
      () => `LAG(${of("INT64")}${this.#choices.pick(["", ", 2", ", 0", ", 1, -5"])}) OVER (${order})`,
      () => `LEAD(${of("INT64")}${this.#choices.pick(["", ", 2", ", 1, -5"])}) OVER (${order})`,
      () => `FIRST_VALUE(${of("INT64")}${nulls()}) OVER (${framed})`,
      () => `LAST_VALUE(${of("INT64")}${nulls()}) OVER (${framed})`,
      () => `NTH_VALUE(${of("INT64")}, 2${nulls()}) OVER (${framed})`,
      () => `NTILE(${this.#choices.pick(["2", "3", "5"])}) OVER (${order})`,
      () => `SUM(${of("INT64")}) OVER (${framed})`,
      () => `COUNT(*) OVER (${framed})`,
      () => `MAX(${of("INT64")}) OVER (${framed})`,
      () => `COUNTIF(${of("BOOL")}) OVER (${framed})`,
    ];
    return { text: this.#choices.pick(forms)(), kind: "INT64" };
  }

  #frame(offsets: readonly string[]): string {
    const offset = () => this.#choices.pick(offsets);
    const forms: readonly (() => string)[] = [
      () => "BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
      () => `BETWEEN ${offset()} PRECEDING AND ${offset()} FOLLOWING`,
      () => `BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING`,
      () => `BETWEEN ${offset()} PRECEDING AND CURRENT ROW`,
      () => `BETWEEN 2 PRECEDING AND 1 PRECEDING`,
      () => `BETWEEN 1 FOLLOWING AND 2 FOLLOWING`,
      () => `BETWEEN UNBOUNDED PRECEDING AND ${offset()} FOLLOWING`,
      () => `BETWEEN ${offset()} FOLLOWING AND UNBOUNDED FOLLOWING`,
      () => `BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING`,
    ];
    return this.#choices.pick(forms)();
  }

  /** Rows that sort alike have one value. */
  #amongPeers(of: (kind: Kind) => string, partition: string, scope: Scope): Written {
    const kind = this.#choices.pick(["INT64", "FLOAT64"] as const);
    const range = this.#choices.chance(50)
      ? ` RANGE ${this.#frame(kind === "INT64" ? ["1", "2", "0"] : ["1.5", "0.25"])}`
      : "";
    const order = `${partition}ORDER BY ${of(kind)}${this.#direction()}`;
    const over = this.#choices.pick([order + range, partition.trim()]);
    const forms: readonly (() => Written)[] = [
      () => ({ text: `RANK() OVER (${order})`, kind: "INT64" }),
      () => ({ text: `DENSE_RANK() OVER (${order})`, kind: "INT64" }),
      () => ({ text: `CUME_DIST() OVER (${order})`, kind: "INEXACT" }),
      () => ({ text: `PERCENT_RANK() OVER (${order})`, kind: "INEXACT" }),
      () => ({ text: `SUM(${of("INT64")}) OVER (${over})`, kind: "INT64" }),
      () => ({ text: `COUNT(${of("STRING")}) OVER (${over})`, kind: "INT64" }),
      () => ({ text: `MIN(${of("INT64")}) OVER (${over})`, kind: "INT64" }),
      () => ({
        text: `COUNT(DISTINCT ${this.#expressions.leaf("INT64", scope)}) OVER (${partition.trim()})`,
        kind: "INT64",
      }),
      () => ({ text: `AVG(${of("INT64")}) OVER (${over})`, kind: "INEXACT" }),
    ];
    return this.#choices.pick(forms)();
  }
}
