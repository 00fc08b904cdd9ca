/** Queries over the tables of the resolver's tests, most of which resolve: each expression is written for a type. */

/** A number from 0 to `below - 1`. */
type Random = (below: number) => number;

type Type = "INT64" | "FLOAT64" | "STRING" | "BOOL" | "DATE" | "ARRAY<INT64>";

interface Named {
  readonly name: string;
  readonly type: Type;
}

const TYPES: readonly Type[] = ["INT64", "INT64", "STRING", "STRING", "FLOAT64", "BOOL", "DATE", "ARRAY<INT64>"];
const GROUPABLE: readonly Type[] = ["INT64", "STRING", "BOOL", "DATE"];

const LITERALS: Readonly<Record<Type, readonly string[]>> = {
  INT64: ["0", "7", "-3", "0x1F", "CAST(NULL AS INT64)"],
  FLOAT64: ["1.5", "2e3", "CAST('nan' AS FLOAT64)"],
  STRING: ["'a'", "''", "r'\\d'", "'''x\ny'''", "CAST(NULL AS STRING)"],
  BOOL: ["TRUE", "FALSE"],
  DATE: ["DATE '2024-02-29'", "DATE(2024, 1, 31)", "CURRENT_DATE"],
  "ARRAY<INT64>": ["[1, 2, NULL]", "ARRAY<INT64>[]", "GENERATE_ARRAY(1, 3)"],
};

/** Calls by the type that they give; `?T` stands for an expression of the type T. */
const CALLS: Readonly<Record<Type, readonly string[]>> = {
  INT64: [
    "(?INT64 + ?INT64)",
    "(?INT64 & ?INT64)",
    "LENGTH(?STRING)",
    "CAST(?FLOAT64 AS INT64)",
    "SAFE_CAST(?STRING AS INT64)",
    "EXTRACT(YEAR FROM ?DATE)",
    "ARRAY_LENGTH(?ARRAY<INT64>)",
    "?ARRAY<INT64>[SAFE_OFFSET(?INT64)]",
    "DATE_DIFF(?DATE, ?DATE, WEEK(MONDAY))",
    "CASE ?STRING WHEN ?STRING THEN ?INT64 ELSE ?INT64 END",
    "SAFE.DIV(?INT64, ?INT64)",
  ],
  FLOAT64: ["(?FLOAT64 / ?INT64)", "ROUND(?FLOAT64, ?INT64)", "GREATEST(?FLOAT64, ?INT64)", "IFNULL(?FLOAT64, ?INT64)"],
  STRING: [
    "(?STRING || ?STRING)",
    "UPPER(?STRING)",
    "SUBSTR(?STRING, ?INT64)",
    "CAST(?DATE AS STRING)",
    "FORMAT('%d %s', ?INT64, ?STRING)",
    "REGEXP_REPLACE(?STRING, r'(a)', ?STRING)",
    "STRUCT(?INT64 AS a, ?STRING AS b).b",
    "NULLIF(?STRING, ?STRING)",
  ],
  BOOL: [
    "(?INT64 < ?FLOAT64)",
    "(?STRING LIKE ?STRING)",
    "(?BOOL AND NOT ?BOOL)",
    "(?DATE BETWEEN ?DATE AND ?DATE)",
    "(?INT64 IN (?INT64, ?INT64))",
    "(?INT64 NOT IN UNNEST(?ARRAY<INT64>))",
    "(?STRING IS NOT NULL)",
    "(?INT64 IS DISTINCT FROM ?INT64)",
  ],
  DATE: [
    "DATE_ADD(?DATE, INTERVAL ?INT64 DAY)",
    "DATE_TRUNC(?DATE, MONTH)",
    "IF(?BOOL, ?DATE, ?DATE)",
    "COALESCE(?DATE, ?DATE)",
  ],
  "ARRAY<INT64>": ["[?INT64, ?INT64]", "ARRAY_CONCAT(?ARRAY<INT64>, ?ARRAY<INT64>)", "ARRAY_REVERSE(?ARRAY<INT64>)"],
};

/** Aggregate functions, by the type that they give. */
const AGGREGATES: readonly (readonly [Type, string])[] = [
  ["INT64", "COUNT(*)"],
  ["INT64", "SUM(?INT64)"],
  ["INT64", "COUNTIF(?BOOL)"],
  ["INT64", "COUNT(DISTINCT ?STRING)"],
  ["STRING", "MAX(?STRING)"],
  ["STRING", "STRING_AGG(?STRING, ',' ORDER BY LENGTH(?STRING) LIMIT 3)"],
  ["FLOAT64", "AVG(?INT64)"],
  ["BOOL", "LOGICAL_OR(?BOOL)"],
  ["DATE", "MIN(?DATE)"],
  ["ARRAY<INT64>", "ARRAY_AGG(?INT64 IGNORE NULLS)"],
];

const WINDOWS: readonly string[] = [
  "SUM(?INT64) OVER (PARTITION BY ?STRING ORDER BY ?INT64 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)",
  "ROW_NUMBER() OVER (ORDER BY ?DATE DESC)",
  "LAG(?INT64, 1) OVER (PARTITION BY ?BOOL ORDER BY ?STRING)",
];

/** Tables with an alias in the place of `$`, and their columns. */
const TABLES: readonly (readonly [string, readonly Named[]])[] = [
  [
    "people AS $",
    [
      { name: "$.id", type: "INT64" },
      { name: "$.name", type: "STRING" },
      { name: "$.score", type: "FLOAT64" },
    ],
  ],
  [
    "orders AS $",
    [
      { name: "$.id", type: "INT64" },
      { name: "$.customer", type: "STRING" },
      { name: "$.day", type: "DATE" },
      { name: "$.items[SAFE_OFFSET(0)].quantity", type: "INT64" },
    ],
  ],
  [
    "logs AS $ CROSS JOIN UNNEST($.metadata) AS $m",
    [
      { name: "$.event_message", type: "STRING" },
      { name: "$m.attempt", type: "INT64" },
      { name: "$m.request.path", type: "STRING" },
      { name: "$m.ok", type: "BOOL" },
    ],
  ],
  [
    "UNNEST([3, 1, NULL]) AS $ WITH OFFSET AS $o",
    [
      { name: "$", type: "INT64" },
      { name: "$o", type: "INT64" },
    ],
  ],
];

interface Written {
  readonly text: string;
  readonly columns: readonly Named[];
}

/** Writes queries from a source of random numbers. */
export class TypedQueryWriter {
  readonly #random: Random;
  #count = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** A query of at most that depth of sub-queries. */
  query(depth: number): string {
    return this.#query([], depth).text;
  }

  #pick<T>(items: readonly [T, ...T[]] | readonly T[]): T {
    return items[this.#random(items.length)] as T;
  }

  #chance(percent: number): boolean {
    return this.#random(100) < percent;
  }

  #alias(): string {
    return `a${++this.#count}`;
  }

  #fill(template: string, scope: readonly Named[], depth: number): string {
    return template.replaceAll(/\?(ARRAY<INT64>|[A-Z0-9]+)/g, (_, type: Type) =>
      this.#expression(type, scope, depth - 1),
    );
  }

  #expression(type: Type, scope: readonly Named[], depth: number): string {
    const known = scope.filter((column) => column.type === type);
    if (known.length > 0 && this.#chance(55)) return this.#pick(known).name;
    if (depth <= 0 || this.#chance(25)) return this.#pick(LITERALS[type]);
    if (depth > 1 && this.#chance(12)) return this.#subquery(type, scope, depth - 1);
    return this.#fill(this.#pick(CALLS[type]), scope, depth);
  }

  #subquery(type: Type, outer: readonly Named[], depth: number): string {
    const { from, scope } = this.#from(outer, depth - 1);
    if (type === "BOOL") return `EXISTS(SELECT 1 FROM ${from} WHERE ${this.#expression("BOOL", scope, depth - 1)})`;
    const mode = type === "ARRAY<INT64>" ? "ARRAY" : "";
    const item = this.#expression(mode === "" ? type : "INT64", scope, depth - 1);
    return `${mode}(SELECT ${item} FROM ${from} ORDER BY 1 LIMIT 1)`;
  }

  #from(outer: readonly Named[], depth: number): { readonly from: string; readonly scope: readonly Named[] } {
    const first = this.#source(outer, depth);
    if (!this.#chance(30)) return { from: first.text, scope: [...outer, ...first.columns] };
    const second = this.#source(outer, depth);
    const scope = [...outer, ...first.columns, ...second.columns];
    const right = /^logs /.test(second.text) ? `(${second.text})` : second.text;
    const join = this.#pick(["JOIN", "LEFT JOIN", "FULL JOIN", "RIGHT JOIN"]);
    return { from: `${first.text} ${join} ${right} ON ${this.#expression("BOOL", scope, depth)}`, scope };
  }

  /** A source that can stand on either side of a join. */
  #source(outer: readonly Named[], depth: number): Written {
    const alias = this.#alias();
    if (depth > 0 && this.#chance(35)) {
      const { text, columns } = this.#query(outer, depth - 1);
      return {
        text: `(${text}) AS ${alias}`,
        columns: columns.map(({ name, type }) => ({ name: `${alias}.${name}`, type })),
      };
    }
    const [text, columns] = this.#pick(TABLES);
    return {
      text: text.replaceAll("$", alias),
      columns: columns.map(({ name, type }) => ({ name: name.replaceAll("$", alias), type })),
    };
  }

  #query(outer: readonly Named[], depth: number): Written {
    const { from, scope } = this.#from(outer, depth);
    const where = this.#chance(50) ? ` WHERE ${this.#expression("BOOL", scope, depth)}` : "";
    const body = this.#chance(30) ? this.#grouped(from, where, scope, depth) : this.#plain(from, where, scope, depth);
    if (this.#chance(20)) return this.#piped(body);
    // The definition of a CTE reads no columns of a query around it.
    if (outer.length > 0 || !this.#chance(15)) return body;
    return { text: `WITH ${this.#alias()} AS (${body.text}) SELECT * FROM a${this.#count}`, columns: body.columns };
  }

  #plain(from: string, where: string, scope: readonly Named[], depth: number): Written {
    const columns = Array.from({ length: 1 + this.#random(3) }, () => ({
      name: this.#alias(),
      type: this.#pick(TYPES),
    }));
    const items = columns.map(({ name, type }) => `${this.#expression(type, scope, depth)} AS ${name}`);
    const rank = this.#chance(20) ? `, ${this.#fill(this.#pick(WINDOWS), scope, depth)} AS ${this.#alias()}` : "";
    const order = this.#chance(30) ? ` ORDER BY ABS(${this.#expression("INT64", scope, depth)}) DESC` : "";
    const limit = this.#chance(20) ? " LIMIT 5 OFFSET 1" : "";
    return { text: `SELECT ${items.join(", ")}${rank} FROM ${from}${where}${order}${limit}`, columns };
  }

  #grouped(from: string, where: string, scope: readonly Named[], depth: number): Written {
    const key = { name: this.#alias(), type: this.#pick(GROUPABLE) };
    const [type, aggregate] = this.#pick(AGGREGATES);
    const value = { name: this.#alias(), type };
    const list = `${this.#expression(key.type, scope, depth)} AS ${key.name}, ${this.#fill(aggregate, scope, depth)} AS ${value.name}`;
    const groupBy = this.#pick([key.name, "1", `ROLLUP(${key.name})`, `GROUPING SETS(${key.name}, ())`]);
    const having = this.#chance(30) ? " HAVING COUNT(*) > 1" : "";
    return { text: `SELECT ${list} FROM ${from}${where} GROUP BY ${groupBy}${having}`, columns: [key, value] };
  }

  #piped({ text, columns }: Written): Written {
    const [first] = columns;
    if (first === undefined) return { text, columns };
    const added = { name: this.#alias(), type: "INT64" as const };
    const pipe = this.#pick([
      `|> WHERE ${this.#expression("BOOL", columns, 1)}`,
      `|> EXTEND ${this.#expression("INT64", columns, 1)} AS ${added.name}`,
      `|> SET ${first.name} = ${this.#expression(first.type, columns, 1)}`,
      `|> LIMIT 3`,
      `|> AS ${this.#alias()}`,
    ]);
    return { text: `${text} ${pipe}`, columns: pipe.startsWith("|> EXTEND") ? [...columns, added] : columns };
  }
}
