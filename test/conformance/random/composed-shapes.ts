/** Queries of several clauses that meet: what `shapes.ts` writes one by one, inside of each other. */
import { writeAggregate } from "./aggregates.ts";
import type { Column, ExpressionWriter } from "./expressions.ts";
import type { Random } from "./random.ts";
import { orderedOf, randomTypes, type Table, writeTable } from "./tables.ts";
import { COMPARED, ORDERED } from "./values.ts";

/** A query, and where it uses syntax that a judge may lack, the same in other words. */
export interface RandomQuery {
  readonly query: string;
  readonly plain?: string;
}

const JOINS = ["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"];

export class ComposedShapes {
  readonly #random: Random;
  readonly #expressions: ExpressionWriter;

  constructor(random: Random, expressions: ExpressionWriter) {
    this.#random = random;
    this.#expressions = expressions;
  }

  write(): RandomQuery {
    return this.#random.pick([
      () => this.#withTables(),
      () => this.#correlatedAggregate(),
      () => this.#correlatedAggregate(),
      () => this.#chain(),
      () => this.#onQueries(),
      () => this.#windowsOverGroups(),
      () => this.#structs(),
      () => this.#limited(),
      () => this.#laterals(),
      () => this.#nested(),
      () => this.#unions(),
      () => this.#pipedTables(),
    ])();
  }

  #table(types?: readonly string[], prefix?: string): Table {
    return writeTable(this.#random, this.#expressions, types, prefix);
  }

  #of(type: string, depth: number, columns: readonly Column[]): string {
    return this.#expressions.write(type, depth, columns);
  }

  #truth(columns: readonly Column[]): string {
    return this.#random.chance(50) ? this.#of("BOOL", 1, columns) : this.#comparison(columns);
  }

  /** A condition that holds for some of the rows: one of two columns of the same type, or of numbers of rows. */
  #comparison(columns: readonly Column[]): string {
    const ids = columns.filter(({ name }) => name.endsWith("id"));
    const operator = this.#random.pick(["<", "=", ">=", "!="]);
    return `${this.#random.pick(ids).name} ${operator} ${this.#random.pick(ids).name}`;
  }

  #withTables(): RandomQuery {
    const { columns, id, sql } = this.#table();
    const type = this.#random.pick(ORDERED);
    const value = this.#of(type, 2, [id, ...columns]);
    const joined = this.#random.pick(JOINS);
    const ctes = `a AS (SELECT * FROM ${sql}), b AS (SELECT cid AS bid, ${value} AS v FROM a WHERE ${this.#truth([id, ...columns])})`;
    const forms = [
      `SELECT a.cid, b.bid, b.v FROM a ${joined} b ON a.cid ${this.#random.pick(["=", "<", ">="])} b.bid`,
      "SELECT cid, (SELECT MAX(v) FROM b WHERE bid <= cid) FROM a",
      `SELECT x.v, COUNT(*) FROM b x ${joined} b y ON x.v = y.v GROUP BY 1`,
      "SELECT cid FROM a WHERE cid NOT IN (SELECT bid FROM b) UNION ALL SELECT bid FROM b",
    ];
    return { query: `WITH ${ctes} ${this.#random.pick(forms)}` };
  }

  /** An aggregate in a sub-query that reads the row around it, below clauses that show whether it has a row. */
  #correlatedAggregate(): RandomQuery {
    const outer = this.#table();
    const inner = this.#table(undefined, "d");
    const all = [outer.id, ...outer.columns, inner.id, ...inner.columns];
    const from = `FROM ${inner.sql} WHERE ${this.#truth(all)}`;
    const number = () =>
      this.#random.pick(["SUM(did)", "COUNT(*)", "MAX(did)", "AVG(did)", "COUNTIF(did > cid)", "MIN(cid + did)"]);
    const key = this.#random.pick(orderedOf([inner.id, ...inner.columns])).name;
    const forms = [
      `ARRAY(SELECT ${number()} ${from} ORDER BY 1)`,
      `ARRAY(SELECT DISTINCT ${number()} ${from})`,
      `EXISTS(SELECT ${number()} ${from} HAVING COUNT(*) > 1)`,
      `EXISTS(SELECT DISTINCT ${number()} ${from})`,
      `(SELECT COUNT(*) FROM (SELECT ${number()} AS n ${from} UNION ALL SELECT ${number()} ${from}))`,
      `(SELECT SUM(n) FROM (SELECT ${key} AS k, ${number()} AS n ${from} GROUP BY k))`,
      `cid IN (SELECT ${number()} ${from} GROUP BY ${key})`,
      `cid NOT IN (SELECT ${number()} ${from})`,
      `(SELECT ${writeAggregate(this.#random, this.#random.pick(inner.columns), inner.id)} ${from})`,
      `(SELECT n FROM (SELECT ${number()} AS n ${from}) CROSS JOIN UNNEST([1]) WHERE n > 0 OR n IS NULL)`,
      `ARRAY(SELECT AS STRUCT ${key} AS k, ${number()} AS n ${from} GROUP BY k ORDER BY k, n)`,
      `(SELECT SUM(w) FROM (SELECT ${number()} OVER (ORDER BY did) AS w ${from}))`.replace(
        "COUNTIF(did > cid)",
        "SUM(did)",
      ),
    ];
    return { query: `SELECT cid, ${this.#random.pick(forms)} FROM ${outer.sql}` };
  }

  /** Three tables. */
  #chain(): RandomQuery {
    const type = this.#random.pick(COMPARED);
    const [a, b, c] = ["c", "d", "e"].map((prefix) => this.#table([type, this.#random.pick(ORDERED)], prefix));
    if (a === undefined || b === undefined || c === undefined) return { query: "SELECT 1" };
    const on = (...sides: readonly Table[]) => {
      const columns = sides.flatMap((side) => [side.id, ...side.columns]);
      const [first, last] = [sides[0], sides.at(-1)].map((side) => side?.columns[0]?.name);
      const more = this.#random.chance(40) ? ` AND ${this.#truth(columns)}` : "";
      return this.#random.chance(50) ? `${first} = ${last}${more}` : this.#comparison(columns);
    };
    const [one, two] = [this.#random.pick(JOINS), this.#random.pick(JOINS)];
    const froms = [
      () => `${a.sql} ${one} ${b.sql} ON ${on(a, b)} ${two} ${c.sql} ON ${on(a, b, c)}`,
      () => `${a.sql} ${one} (${b.sql} ${two} ${c.sql} ON ${on(b, c)}) ON ${on(a, b)}`,
      () => `${a.sql}, ${b.sql} ${two} ${c.sql} ON ${on(b, c)}`,
    ];
    const columns = [a, b, c].flatMap((side) => [side.id, ...side.columns]);
    const where = this.#random.chance(30) ? ` WHERE ${this.#truth(columns)}` : "";
    return {
      query: `SELECT cid, did, eid, ${this.#of("INT64", 2, columns)} FROM ${this.#random.pick(froms)()}${where}`,
    };
  }

  /** Sub-queries in ON. */
  #onQueries(): RandomQuery {
    const [a, b, c] = ["c", "d", "e"].map((prefix) => this.#table(randomTypes(this.#random).slice(0, 2), prefix));
    if (a === undefined || b === undefined || c === undefined) return { query: "SELECT 1" };
    const part = () => {
      const side = this.#random.pick([[a], [b], [a, b], []]);
      const columns = [...side.flatMap(({ id, columns: own }) => [id, ...own]), c.id, ...c.columns];
      const from = `FROM ${c.sql} WHERE ${this.#truth(columns)}`;
      return this.#random.pick([
        `EXISTS(SELECT 1 ${from})`,
        `NOT EXISTS(SELECT 1 ${from})`,
        `cid IN (SELECT eid ${from})`,
        `did NOT IN (SELECT eid ${from})`,
        `(SELECT COUNT(*) ${from}) > did`,
      ]);
    };
    const compared = this.#comparison([a.id, b.id]);
    const on = this.#random.pick([
      () => `${compared} OR ${part()}`,
      () => `${compared} AND ${part()}`,
      () => `${part()} OR ${part()}`,
      () => part(),
    ])();
    return { query: `SELECT cid, did FROM ${a.sql} ${this.#random.pick(JOINS)} ${b.sql} ON ${on}` };
  }

  #windowsOverGroups(): RandomQuery {
    const { columns, id, sql } = this.#table([this.#random.pick(ORDERED), ...randomTypes(this.#random)]);
    const [key = id, value = id] = columns;
    const call = this.#random.pick(["COUNT(*)", `MAX(${id.name})`, `COUNT(${value.name})`, `SUM(${id.name})`]);
    const windows = [
      `SUM(${call}) OVER (ORDER BY k)`,
      `RANK() OVER (ORDER BY ${call} DESC)`,
      `LAG(${call}) OVER (ORDER BY k)`,
      `COUNT(*) OVER (PARTITION BY ${call})`,
      `FIRST_VALUE(k) OVER (ORDER BY k ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)`,
    ].map((text) => text.replaceAll(/\bk\b/g, key.name));
    const qualify = this.#random.chance(30) ? ` HAVING TRUE QUALIFY ROW_NUMBER() OVER (ORDER BY ${key.name}) <= 2` : "";
    const list = this.#random.times(2, () => this.#random.pick(windows)).join(", ");
    const named = `SELECT ${id.name}, SUM(${id.name}) OVER w, COUNT(*) OVER (w ROWS 1 PRECEDING) FROM ${sql} WINDOW w AS (ORDER BY ${key.name}, ${id.name})`;
    const grouped = `SELECT ${key.name}, ${call}, ${list} FROM ${sql} GROUP BY ${key.name}${qualify}`;
    return { query: this.#random.chance(25) ? named : grouped };
  }

  #structs(): RandomQuery {
    const { columns, id, sql } = this.#table();
    const all = [id, ...columns];
    const [a, b] = [this.#random.pick(ORDERED), this.#random.pick(ORDERED)];
    const struct = `STRUCT(${this.#of(a, 2, all)} AS a, ${this.#of(b, 1, all)} AS b)`;
    const dropped = this.#random.pick(columns);
    const forms = [
      `SELECT s.* FROM (SELECT ${struct} AS s FROM ${sql})`,
      `SELECT s.a, s.b = s.b, COUNT(*) FROM (SELECT ${struct} AS s FROM ${sql}) GROUP BY 1, 2`,
      `SELECT ARRAY(SELECT AS STRUCT cid, ${this.#of(a, 1, all)} AS v FROM ${sql} ORDER BY cid)`,
      `SELECT x.b, x.a FROM (SELECT AS VALUE ${struct} FROM ${sql}) AS x`,
      `SELECT * EXCEPT (${dropped.name}) REPLACE (${this.#of("INT64", 2, all)} AS cid) FROM ${sql}`,
      `SELECT x.a, o FROM (SELECT ARRAY_AGG(${struct} ORDER BY cid) AS list FROM ${sql}), UNNEST(list) AS x WITH OFFSET o`,
      `SELECT MAX(s.a), ANY_VALUE(s HAVING MAX cid), COUNT(s) FROM (SELECT cid, ${struct} AS s FROM ${sql})`,
    ];
    return { query: this.#random.pick(forms) };
  }

  #limited(): RandomQuery {
    const outer = this.#table();
    const { columns, id, sql } = this.#table(undefined, "d");
    const key = this.#random.pick(orderedOf([id, ...columns])).name;
    const direction = this.#random.pick(["", " DESC", " NULLS LAST"]);
    const cut = `ORDER BY ${key}${direction}, did LIMIT ${this.#random.below(3)} OFFSET ${this.#random.below(2)}`;
    const type = this.#random.pick(ORDERED);
    const all = [outer.id, ...outer.columns, id, ...columns];
    const forms = [
      `SELECT ${this.#of(type, 2, [id, ...columns])} FROM (SELECT * FROM ${sql} ${cut})`,
      `SELECT cid, ARRAY(SELECT did FROM ${sql} WHERE ${this.#truth(all)} ${cut}) FROM ${outer.sql}`,
      `SELECT cid, (SELECT COUNT(*) FROM (SELECT did FROM ${sql} WHERE ${this.#truth(all)} ${cut})) FROM ${outer.sql}`,
      `SELECT COUNT(*), SUM(did) FROM ((SELECT did FROM ${sql} ${cut}) UNION ALL (SELECT cid FROM ${outer.sql}))`,
      `SELECT cid, did FROM ${outer.sql} LEFT JOIN (SELECT * FROM ${sql} ${cut}) ON ${this.#truth(all)}`,
    ];
    return { query: this.#random.pick(forms) };
  }

  #laterals(): RandomQuery {
    const { columns, id, sql } = this.#table(["ARRAY<INT64>", ...randomTypes(this.#random)]);
    const element = { type: "INT64", name: "e" };
    const all = [id, ...columns, element];
    const array = this.#of("ARRAY<INT64>", 1, [id, ...columns]);
    const joins = [
      `, UNNEST(${array}) AS e`,
      ` LEFT JOIN UNNEST(${array}) AS e`,
      ` LEFT JOIN UNNEST(${array}) AS e WITH OFFSET AS o ON e > o OR e IS NULL`,
      ` CROSS JOIN UNNEST(GENERATE_ARRAY(0, cid)) AS e`,
      `, UNNEST(c0) AS e LEFT JOIN UNNEST(${array}) AS f ON e = f`,
      `, UNNEST((SELECT ARRAY_AGG(x ORDER BY x) FROM UNNEST(c0) AS x)) AS e`,
    ];
    const where = this.#random.chance(30) ? ` WHERE ${this.#of("BOOL", 1, all)}` : "";
    const list = this.#random.chance(30) ? "cid, COUNT(*), SUM(SAFE.LN(e))" : `cid, e, ${this.#of("INT64", 2, all)}`;
    const group = list.includes("COUNT") ? " GROUP BY cid" : "";
    return { query: `SELECT ${list} FROM ${sql}${this.#random.pick(joins)}${where}${group}` };
  }

  /** A sub-query in a sub-query that reads both around it. */
  #nested(): RandomQuery {
    const [a, b, c] = ["c", "d", "e"].map((prefix) => this.#table(randomTypes(this.#random).slice(0, 2), prefix));
    if (a === undefined || b === undefined || c === undefined) return { query: "SELECT 1" };
    const [two, three] = [
      [a, b].flatMap(({ id, columns }) => [id, ...columns]),
      [a, b, c].flatMap(({ id, columns }) => [id, ...columns]),
    ];
    const inner = this.#random.pick([
      () => `EXISTS(SELECT 1 FROM ${c.sql} WHERE ${this.#truth(three)})`,
      () => `(SELECT COUNT(*) FROM ${c.sql} WHERE ${this.#truth(three)}) > did`,
      () => `did IN (SELECT eid + cid FROM ${c.sql} WHERE ${this.#truth(three)})`,
      () => `(SELECT MAX(eid) FROM ${c.sql} WHERE ${this.#truth(three)}) IS NULL`,
    ])();
    const forms = [
      `(SELECT COUNT(*) FROM ${b.sql} WHERE ${inner})`,
      `ARRAY(SELECT did FROM ${b.sql} WHERE ${inner} AND ${this.#truth(two)} ORDER BY did)`,
      `(SELECT SUM(IF(${inner}, did, cid)) FROM ${b.sql} WHERE ${this.#truth(two)})`,
      `EXISTS(SELECT 1 FROM ${b.sql} WHERE NOT ${inner})`,
    ];
    return { query: `SELECT cid, ${this.#random.pick(forms)} FROM ${a.sql}` };
  }

  #unions(): RandomQuery {
    const types = [this.#random.pick(COMPARED), this.#random.pick(ORDERED)];
    const [a, b] = [this.#table(types), this.#table(types)];
    const operator = this.#random.pick(["UNION ALL", "UNION DISTINCT", "EXCEPT DISTINCT", "INTERSECT DISTINCT"]);
    const own = [a.id, ...a.columns];
    const rows = `((SELECT * FROM ${a.sql} WHERE ${this.#truth(own)}) ${operator} (SELECT * FROM ${b.sql}))`;
    const forms = [
      `SELECT ${this.#of("STRING", 2, own)} FROM ${rows}`,
      `SELECT c1, COUNT(*), COUNT(DISTINCT c1) FROM ${rows} GROUP BY c1`,
      `SELECT cid, RANK() OVER (ORDER BY c1, cid) FROM ${rows} WHERE ${this.#truth(own)}`,
      `SELECT x.cid, EXISTS(SELECT 1 FROM ${rows} y WHERE y.cid > x.cid) FROM ${a.sql} x`,
    ];
    return { query: this.#random.pick(forms) };
  }

  /** Pipes with two tables and with what comes after them, beside the same as sub-queries. */
  #pipedTables(): RandomQuery {
    const a = this.#table();
    const b = this.#table(undefined, "d");
    const all = [a.id, ...a.columns, b.id, ...b.columns];
    const key = this.#random.pick(orderedOf([a.id, ...a.columns])).name;
    const [kind, on] = [this.#random.pick(JOINS), this.#truth(all)];
    const value = this.#of("INT64", 2, all);
    const from = `(SELECT * FROM ${a.sql})`;
    const join = `${kind} (SELECT * FROM ${b.sql}) ON ${on}`;
    const forms = [
      {
        query: `FROM ${from} |> ${join} |> SELECT cid, did, ${value} AS n`,
        plain: `SELECT cid, did, ${value} AS n FROM ${from} ${join}`,
      },
      {
        query: `FROM ${from} |> AS t |> ${join} |> AGGREGATE COUNT(*) AS n, MAX(did) AS m GROUP BY t.${key}`,
        plain: `SELECT t.${key}, COUNT(*) AS n, MAX(did) AS m FROM ${from} AS t ${join} GROUP BY t.${key}`,
      },
      {
        query: `FROM ${from} |> SELECT ${key} |> DISTINCT |> RENAME ${key} AS k |> WHERE k IS NOT NULL`,
        plain: `SELECT k FROM (SELECT DISTINCT ${key} AS k FROM ${from}) WHERE k IS NOT NULL`,
      },
      {
        query: `FROM ${from} |> SELECT cid |> UNION ALL (SELECT did FROM ${b.sql}) |> AGGREGATE COUNT(*) AS n GROUP BY cid`,
        plain: `SELECT cid, COUNT(*) AS n FROM (SELECT cid FROM ${from} UNION ALL (SELECT did FROM ${b.sql})) GROUP BY cid`,
      },
      {
        query: `FROM ${from} |> ORDER BY ${key}, cid |> LIMIT 3 |> EXTEND SUM(cid) OVER (ORDER BY cid) AS w |> WHERE w > 0`,
        plain: `SELECT * FROM (SELECT *, SUM(cid) OVER (ORDER BY cid) AS w FROM (SELECT * FROM ${from} ORDER BY ${key}, cid LIMIT 3)) WHERE w > 0`,
      },
    ];
    return this.#random.pick(forms);
  }
}
