/** Queries of every shape over small tables. */
import { AGGREGATES, writeAggregate } from "./aggregates.ts";
import { ComposedShapes, type RandomQuery } from "./composed-shapes.ts";
import { type Column, ExpressionWriter } from "./expressions.ts";
import type { Random } from "./random.ts";
import { orderedOf, randomTypes, type Table, writeTable } from "./tables.ts";
import { COMPARED, NUMBERS, ORDERED, VALUES } from "./values.ts";

const DIRECTIONS = ["", " DESC", " NULLS LAST", " DESC NULLS FIRST", " ASC", " DESC NULLS LAST"];
const OFFSETS: Readonly<Record<string, readonly string[]>> = {
  INT64: ["1", "2", "0", "9223372036854775807", "3"],
  FLOAT64: ["1.5", "0.0", "CAST('inf' AS FLOAT64)", "1e300", "1.7976931348623157e308", "2"],
  NUMERIC: ["NUMERIC '1.5'", "NUMERIC '99999999999999999999999999999.999999999'", "0", "1"],
  BIGNUMERIC: ["BIGNUMERIC '1.5'", "BIGNUMERIC '1e37'", "0", "BIGNUMERIC '0.00000000000000000000000000000000000001'"],
};

/** Groupings of up to three keys, each with the sets that it stands for. */
function groupings(a: string, b: string, c: string) {
  return [
    { text: `ROLLUP (${a}, ${b})`, sets: [[a, b], [a], []] },
    { text: `CUBE (${a}, ${b})`, sets: [[a, b], [a], [b], []] },
    { text: `GROUPING SETS (${a}, ${b}, ())`, sets: [[a], [b], []] },
    { text: `GROUPING SETS ((${a}, ${b}), ${c})`, sets: [[a, b], [c]] },
    { text: `GROUPING SETS (ROLLUP (${a}, ${b}), ${c})`, sets: [[a, b], [a], [], [c]] },
    { text: `GROUPING SETS (CUBE (${a}, ${b}), (), ())`, sets: [[a, b], [a], [b], [], [], []] },
    { text: `GROUPING SETS ((${a}, ${a}), (${b}, ${a}))`, sets: [[a], [b, a]] },
    { text: `CUBE ((${a}, ${b}), ${c})`, sets: [[a, b, c], [a, b], [c], []] },
    { text: `ROLLUP (${a}, (${b}, ${c}))`, sets: [[a, b, c], [a], []] },
  ];
}

export class QueryShapes {
  readonly #random: Random;
  readonly #expressions: ExpressionWriter;
  readonly #composed: ComposedShapes;

  constructor(random: Random) {
    this.#random = random;
    this.#expressions = new ExpressionWriter(random);
    this.#composed = new ComposedShapes(random, this.#expressions);
  }

  /** One query of a random shape. */
  write(): RandomQuery {
    const shapes: readonly (readonly [number, () => RandomQuery])[] = [
      [22, () => this.#scalars()],
      [18, () => this.#rows()],
      [10, () => this.#aggregates()],
      [6, () => this.#groupingSets()],
      [9, () => this.#frames()],
      [5, () => this.#navigation()],
      [7, () => this.#joins()],
      [5, () => this.#sets()],
      [3, () => this.#pivot()],
      [3, () => this.#unpivot()],
      [6, () => this.#pipes()],
      [2, () => this.#recursive()],
      [7, () => this.#correlated()],
      [4, () => this.#arrays()],
      [4, () => this.#distinct()],
      [30, () => this.#composed.write()],
    ];
    let at = this.#random.below(shapes.reduce((sum, [weight]) => sum + weight, 0));
    const found = shapes.find(([weight]) => {
      at -= weight;
      return at < 0;
    });
    return (found ?? shapes[0])?.[1]() ?? { query: "SELECT 1" };
  }

  #table(types?: readonly string[], prefix?: string): Table {
    return writeTable(this.#random, this.#expressions, types, prefix);
  }

  /** A table with a column of one of the types among the others. */
  #tableWith(types: readonly string[]): Table {
    return this.#table([this.#random.pick(types), ...randomTypes(this.#random)]);
  }

  #list(count: number, depth: number, columns: readonly Column[]): readonly string[] {
    return this.#random.times(count, () => this.#expressions.write(this.#expressions.anyType(), depth, columns));
  }

  #truth(depth: number, columns: readonly Column[]): string {
    return this.#expressions.write("BOOL", depth, columns);
  }

  #scalars(): RandomQuery {
    return { query: `SELECT ${this.#list(1 + this.#random.below(2), 2 + this.#random.below(2), []).join(", ")}` };
  }

  #rows(): RandomQuery {
    const { columns, id, sql } = this.#table();
    const all = [id, ...columns];
    const where = this.#random.chance(40) ? ` WHERE ${this.#truth(2, all)}` : "";
    return { query: `SELECT ${this.#list(1 + this.#random.below(3), 2, all).join(", ")} FROM ${sql}${where}` };
  }

  #aggregates(): RandomQuery {
    const { columns, id, sql } = this.#table();
    const keys = orderedOf(columns);
    const values = columns.map((column) => writeAggregate(this.#random, column, id)).join(", ");
    const having = this.#random.chance(20) ? " HAVING COUNT(*) > 1" : "";
    if (keys.length === 0 || this.#random.chance(30)) {
      const where = this.#random.chance(20) ? ` WHERE ${this.#truth(1, [id, ...columns])}` : "";
      return { query: `SELECT ${values}, COUNT(*) FROM ${sql}${where}` };
    }
    const key = this.#random.chance(60)
      ? this.#random.pick(keys).name
      : this.#expressions.write(this.#random.pick(COMPARED), 1, [id, ...columns]);
    return { query: `SELECT ${key} AS k, ${values}, COUNT(*) FROM ${sql} GROUP BY k${having}` };
  }

  #groupingSets(): RandomQuery {
    const { columns, id, sql } = this.#tableWith(ORDERED);
    const keys: readonly Column[] = [
      ...orderedOf(columns),
      { type: "INT64", name: `MOD(${id.name}, 2)` },
      { type: "BOOL", name: `${id.name} > 1` },
    ];
    const some = () => this.#random.pick(keys).name;
    const { text, sets } = this.#random.pick(groupings(some(), some(), some()));
    const value = writeAggregate(this.#random, this.#random.pick(columns), id);
    const shown = keys.filter(({ name }) => sets.flat().includes(name));
    const having = this.#random.chance(20) ? " HAVING COUNT(*) > 1" : "";
    const rest = `${value}, COUNT(*) FROM ${sql}`;
    const each = sets.map((set) => {
      const list = shown.map(({ name, type }) => (set.includes(name) ? name : `CAST(NULL AS ${type})`)).join(", ");
      const group = set.length === 0 ? "()" : [...new Set(set)].join(", ");
      const groupBy = set.length === 0 ? "" : ` GROUP BY ${group}`;
      return `(SELECT ${list}, ${rest}${groupBy}${having})`;
    });
    const list = shown.map(({ name }) => name).join(", ");
    return { query: `SELECT ${list}, ${rest} GROUP BY ${text}${having}`, plain: each.join(" UNION ALL ") };
  }

  #bound(type: string, isStart: boolean): string {
    const offset = this.#random.pick(OFFSETS[type] ?? ["1"]);
    return this.#random.pick([
      isStart ? "UNBOUNDED PRECEDING" : "UNBOUNDED FOLLOWING",
      `${offset} PRECEDING`,
      `${offset} FOLLOWING`,
      "CURRENT ROW",
    ]);
  }

  #frames(): RandomQuery {
    const { columns, id, sql } = this.#tableWith(NUMBERS);
    const [key = id] = columns;
    const direction = this.#random.pick(DIRECTIONS);
    const part = this.#random.chance(30) ? `PARTITION BY ${this.#random.pick(orderedOf(columns)).name} ` : "";
    const isRange = this.#random.chance(60);
    const type = isRange ? key.type : "";
    const frame = `${isRange ? "RANGE" : "ROWS"} BETWEEN ${this.#bound(type, true)} AND ${this.#bound(type, false)}`;
    const order = `ORDER BY ${key.name}${direction}${isRange ? "" : `, ${id.name}`}`;
    const value = this.#random.pick(columns);
    const sums = (AGGREGATES[value.type] ?? []).filter((text) => !/DISTINCT|ORDER BY/.test(text));
    const plain = [...sums, "COUNT(X)", ...(ORDERED.includes(value.type) ? ["MIN(X)", "MAX(X)"] : [])];
    const call = this.#random.pick(plain).replace(/\bX\b/g, value.name);
    const first = isRange ? "COUNT(*)" : `FIRST_VALUE(${value.name})`;
    const over = `OVER (${part}${order} ${frame})`;
    return { query: `SELECT ${id.name}, ${call} ${over}, ${first} ${over} FROM ${sql}` };
  }

  #navigation(): RandomQuery {
    const { columns, id, sql } = this.#tableWith(ORDERED);
    const [key = id] = columns;
    const value = this.#random.pick(columns);
    const part = this.#random.chance(40) ? `PARTITION BY ${this.#random.pick(orderedOf(columns)).name} ` : "";
    const over = `OVER (${part}ORDER BY ${key.name}${this.#random.pick(DIRECTIONS)}, ${id.name})`;
    const peers = `OVER (${part}ORDER BY ${key.name}${this.#random.pick(DIRECTIONS)})`;
    const share = this.#random.pick(["0", "0.5", "1", "0.25", "0.99"]);
    const numeric = NUMBERS.includes(key.type) && key.type !== "INT64" ? key.name : id.name;
    const calls = [
      `LAG(${value.name}) ${over}`,
      `LEAD(${value.name}, ${this.#random.below(4)}, ${this.#expressions.value(value.type)}) ${over}`,
      `NTH_VALUE(${value.name}, 2) ${over}`,
      `FIRST_VALUE(${value.name} IGNORE NULLS) ${over}`,
      `LAST_VALUE(${value.name} IGNORE NULLS) ${over}`,
      `NTILE(${1 + this.#random.below(4)}) ${over}`,
      `RANK() ${peers}`,
      `DENSE_RANK() ${peers}`,
      `PERCENT_RANK() ${peers}`,
      `CUME_DIST() ${peers}`,
      `ROW_NUMBER() ${over}`,
      `PERCENTILE_CONT(${numeric}, ${share}) OVER (${part})`,
      `PERCENTILE_DISC(${key.name}, ${share}) OVER (${part})`,
      `PERCENTILE_DISC(${key.name}, ${share} RESPECT NULLS) OVER (${part})`,
      `PERCENTILE_CONT(${numeric}, ${share} RESPECT NULLS) OVER (${part})`,
    ];
    const list = this.#random.times(2, () => this.#random.pick(calls)).join(", ");
    const qualify = this.#random.chance(20) ? ` WHERE TRUE QUALIFY ROW_NUMBER() ${over} <= 2` : "";
    return { query: `SELECT ${id.name}, ${list} FROM ${sql}${qualify}` };
  }

  #joins(): RandomQuery {
    const left = this.#tableWith(COMPARED);
    const type = left.columns[0]?.type ?? "INT64";
    const isUsing = this.#random.chance(30);
    const right = this.#table([type, ...randomTypes(this.#random)], isUsing ? "c" : "d");
    const kind = this.#random.pick(["JOIN", "LEFT JOIN", "FULL JOIN", "RIGHT JOIN"]);
    if (isUsing) {
      const ids = "l.cid, r.cid, c0";
      return { query: `SELECT ${ids} FROM ${left.sql} l ${kind} ${right.sql} r USING (c0)` };
    }
    const operator = this.#random.pick(ORDERED.includes(type) ? ["=", "<", "!=", ">=", "="] : ["=", "!="]);
    const all = [left.id, ...left.columns, right.id, ...right.columns];
    const more = this.#random.chance(40) ? ` ${this.#random.pick(["AND", "OR"])} ${this.#truth(1, all)}` : "";
    const list = this.#list(1, 2, all).join(", ");
    const on = `ON c0 ${operator} d0${more}`;
    return { query: `SELECT cid, did, ${list} FROM ${left.sql} l ${kind} ${right.sql} r ${on}` };
  }

  #sets(): RandomQuery {
    const types = [this.#random.pick(COMPARED), this.#random.pick(COMPARED)];
    const select = () => {
      const { sql } = this.#table(types);
      return `SELECT c0, c1 FROM ${sql}`;
    };
    const operator = () => this.#random.pick(["UNION ALL", "UNION DISTINCT", "EXCEPT DISTINCT", "INTERSECT DISTINCT"]);
    const [a, b, c] = [select(), select(), select()];
    const query = this.#random.chance(60)
      ? `(${a}) ${operator()} (${b})`
      : `((${a}) ${operator()} (${b})) ${operator()} (${c})`;
    return { query };
  }

  #pivot(): RandomQuery {
    const key = this.#random.pick(["INT64", "STRING", "BOOL", "DATE", "NUMERIC"]);
    const { columns, id, sql } = this.#table([key, ...randomTypes(this.#random)]);
    const value = columns[1] ?? id;
    const values = new Set(this.#random.times(2 + this.#random.below(2), () => this.#random.pick(VALUES[key] ?? [])));
    const list = [...values].map((each, index) => `${each} AS p${index}`).join(", ");
    const call = writeAggregate(this.#random, value, id)
      .replace(/^APPROX_COUNT_DISTINCT/, "COUNT")
      .replace(/ HAVING M.. \w+/, "")
      .replace(/^ARRAY_AGG\((?:DISTINCT )?(\w+)(?: RESPECT NULLS| IGNORE NULLS)?/, "ARRAY_AGG($1 IGNORE NULLS");
    const from = `(SELECT ${id.name}, c0, ${value.name} FROM ${sql})`;
    return { query: `SELECT * FROM ${from} PIVOT (${call} FOR c0 IN (${list}))` };
  }

  #unpivot(): RandomQuery {
    const type = this.#random.pick(ORDERED);
    const { sql } = this.#table([type, type, type]);
    const nulls = this.#random.pick(["", "INCLUDE NULLS ", "EXCLUDE NULLS "]);
    const list = this.#random.pick(["c0, c1", "c0, c1, c2", "c0 AS 'x', c2 AS 'y'", "c0 AS 1, c1 AS 2"]);
    return { query: `SELECT * FROM ${sql} UNPIVOT ${nulls}(v FOR k IN (${list}))` };
  }

  /** The steps of a pipe, beside the same as sub-queries. */
  #pipes(): RandomQuery {
    const { columns, id, sql } = this.#table();
    let piped = `FROM (SELECT * FROM ${sql})`;
    let plain = `SELECT * FROM ${sql}`;
    let all: readonly Column[] = [id, ...columns];
    for (let steps = 1 + this.#random.below(4); steps > 0; steps--) {
      const step = this.#pipeStep(all, steps);
      piped += ` |> ${step.pipe}`;
      plain = step.plain(plain);
      all = step.columns;
    }
    return { query: piped, plain };
  }

  #pipeStep(all: readonly Column[], step: number) {
    const type = this.#expressions.anyType();
    const name = `n${step}`;
    const expression = this.#expressions.write(type, 2, all);
    const added = { type, name };
    const truth = this.#truth(2, all);
    const changed = this.#random.pick(all);
    const rest = all.filter((column) => column !== changed);
    const value = this.#expressions.write(changed.type, 1, all);
    const forms = [
      {
        pipe: `EXTEND ${expression} AS ${name}`,
        plain: (q: string) => `SELECT *, ${expression} AS ${name} FROM (${q})`,
        columns: [...all, added],
      },
      { pipe: `WHERE ${truth}`, plain: (q: string) => `SELECT * FROM (${q}) WHERE ${truth}`, columns: all },
      {
        pipe: `SET ${changed.name} = ${value}`,
        plain: (q: string) => `SELECT * REPLACE (${value} AS ${changed.name}) FROM (${q})`,
        columns: all,
      },
      {
        pipe: `SELECT ${changed.name}, ${expression} AS ${name}`,
        plain: (q: string) => `SELECT ${changed.name}, ${expression} AS ${name} FROM (${q})`,
        columns: [changed, added],
      },
    ];
    if (rest.length > 0) {
      forms.push({
        pipe: `DROP ${changed.name}`,
        plain: (q) => `SELECT * EXCEPT (${changed.name}) FROM (${q})`,
        columns: rest,
      });
    }
    const [key] = orderedOf(all);
    if (key !== undefined) {
      const call = this.#random.pick(["COUNT(*)", `MAX(${key.name})`, `COUNT(DISTINCT ${key.name})`]);
      const result = { type: call.startsWith("MAX") ? key.type : "INT64", name };
      forms.push({
        pipe: `AGGREGATE ${call} AS ${name} GROUP BY ${key.name}`,
        plain: (q) => `SELECT ${key.name}, ${call} AS ${name} FROM (${q}) GROUP BY ${key.name}`,
        columns: [key, result],
      });
    }
    return this.#random.pick(forms);
  }

  #recursive(): RandomQuery {
    const type = this.#random.pick(ORDERED);
    const start = this.#expressions.value(type);
    const next = this.#expressions.write(type, 2, [
      { type, name: "v" },
      { type: "INT64", name: "n" },
    ]);
    const union = this.#random.pick(["UNION ALL", "UNION DISTINCT"]);
    const select = this.#random.pick(["n, v", "COUNT(*), MAX(v)", "n, LAG(v) OVER (ORDER BY n)"]);
    const rounds = `SELECT 0 AS n, ${start} AS v ${union} SELECT n + 1, ${next} FROM t WHERE n < 3`;
    return { query: `WITH RECURSIVE t AS (${rounds}) SELECT ${select} FROM t` };
  }

  #correlated(): RandomQuery {
    const outer = this.#table();
    const inner = this.#table(undefined, "d");
    const all = [outer.id, ...outer.columns, inner.id, ...inner.columns];
    const where = this.#truth(2, all);
    const type = this.#expressions.anyType();
    const value = this.#expressions.write(type, 1, all);
    const kind = this.#random.pick(ORDERED);
    const tested = this.#expressions.write(kind, 1, all);
    const own = this.#expressions.write(kind, 1, [outer.id, ...outer.columns]);
    const forms = [
      `(SELECT ${value} FROM ${inner.sql} WHERE ${where} ORDER BY did LIMIT 1)`,
      `EXISTS(SELECT 1 FROM ${inner.sql} WHERE ${where})`,
      `${own} IN (SELECT ${tested} FROM ${inner.sql} WHERE ${where})`,
      `${own} NOT IN (SELECT ${tested} FROM ${inner.sql})`,
      `(SELECT COUNT(*) FROM ${inner.sql} WHERE ${where})`,
      `(SELECT MAX(${tested}) FROM ${inner.sql} WHERE ${where})`,
      `IF(${this.#truth(1, outer.columns)}, (SELECT COUNT(${value}) FROM ${inner.sql}), cid)`,
    ];
    const condition = this.#random.chance(30) ? ` WHERE EXISTS(SELECT 1 FROM ${inner.sql} WHERE ${where})` : "";
    return { query: `SELECT cid, ${this.#random.pick(forms)} FROM ${outer.sql}${condition}` };
  }

  #arrays(): RandomQuery {
    const type = this.#random.pick([
      "ARRAY<INT64>",
      "ARRAY<STRING>",
      "ARRAY<FLOAT64>",
      "ARRAY<STRUCT<a INT64, b STRING>>",
    ]);
    const { columns, id, sql } = this.#table([type, ...randomTypes(this.#random)]);
    const join = this.#random.pick([", ", " CROSS JOIN ", " LEFT JOIN "]);
    const path = this.#random.pick(type.includes("STRUCT") ? ["t.c0.a", "t.c0"] : ["t.c0", "t.c0"]);
    const source = this.#random.chance(50) ? `UNNEST(${path})` : path;
    const isWhole = type.includes("STRUCT") && path === "t.c0";
    const element = isWhole ? "STRUCT<a INT64, b STRING>" : type.includes("INT64") ? "INT64" : type.slice(6, -1);
    const on = join === " LEFT JOIN " ? " ON TRUE" : "";
    const all = [id, ...columns, { type: element, name: "e" }];
    const order = this.#random.chance(50) ? " WITH OFFSET o" : "";
    const list = [...this.#list(1, 2, all), order === "" ? "1" : "o"].join(", ");
    return { query: `SELECT cid, e, ${list} FROM ${sql} t${join}${source} AS e${order}${on}` };
  }

  #distinct(): RandomQuery {
    const { columns, id, sql } = this.#table(this.#random.times(2, () => this.#random.pick(ORDERED)));
    const [a, b] = columns.map(({ name }) => name);
    const direction = () => this.#random.pick(DIRECTIONS);
    const limit = `LIMIT ${this.#random.below(4)} OFFSET ${this.#random.below(3)}`;
    const forms = [
      `SELECT DISTINCT ${a}, ${b} FROM ${sql}`,
      `SELECT DISTINCT ${a}, COUNT(*) OVER (PARTITION BY ${a}) FROM ${sql}`,
      `SELECT ${a}, ${b}, ${id.name} FROM ${sql} ORDER BY ${a}${direction()}, ${b}${direction()}, ${id.name} ${limit}`,
      `SELECT ARRAY(SELECT AS STRUCT ${a}, ${id.name} FROM ${sql} ORDER BY ${a}${direction()}, ${id.name} DESC)`,
      `SELECT COUNT(*), COUNT(DISTINCT ${a}) FROM (SELECT ${a} FROM ${sql} ORDER BY ${a}${direction()} ${limit})`,
    ];
    return { query: this.#random.pick(forms) };
  }
}
