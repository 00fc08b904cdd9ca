/** Queries of every shape that sub-queries, joins and arrays can take, made from a source of random numbers. */

/** A number from 0 to `below - 1`. */
export type Random = (below: number) => number;

interface Names {
  readonly numbers: readonly string[];
  readonly arrays: readonly string[];
}

const NOTHING: Names = { numbers: [], arrays: [] };

function merge(...names: readonly Names[]): Names {
  return { numbers: names.flatMap((n) => n.numbers), arrays: names.flatMap((n) => n.arrays) };
}

/** Writes queries over a table `tab` with `id` and `v` (INT64) and `arr` (ARRAY<INT64>). */
export class QueryWriter {
  readonly #random: Random;
  #count = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** A query of the given depth of nesting, with columns that can be compared. */
  query(depth: number): string {
    const { from, names } = this.#from(NOTHING, depth);
    const where = this.#chance(60) ? ` WHERE ${this.#boolean(names, depth)}` : "";
    if (this.#chance(25)) {
      const sum = `SUM(${this.#number(names, depth)})`;
      return `SELECT 0 + ${this.#number(names, depth)} AS k, COUNT(*) AS c, ${sum} AS s FROM ${from}${where} GROUP BY k`;
    }
    const list = [
      this.#number(names, depth),
      this.#boolean(names, depth),
      `ARRAY_LENGTH(${this.#array(names, depth)})`,
    ];
    return `SELECT ${list.join(", ")} FROM ${from}${where}`;
  }

  #pick<T>(items: readonly T[], otherwise: T): T {
    return items[this.#random(Math.max(items.length, 1))] ?? otherwise;
  }

  #chance(percent: number): boolean {
    return this.#random(100) < percent;
  }

  #name(): string {
    this.#count++;
    return `n${this.#count}`;
  }

  #table(alias: string): Names {
    return { numbers: [`${alias}.id`, `${alias}.v`], arrays: [`${alias}.arr`] };
  }

  #source(outer: Names, depth: number): { readonly from: string; readonly names: Names } {
    const alias = this.#name();
    const sources = [
      () => `tab AS ${alias}`,
      () => `(SELECT id, SUM(v) AS v, ARRAY_AGG(v IGNORE NULLS ORDER BY v) AS arr FROM tab GROUP BY id) AS ${alias}`,
      () => `(SELECT id, SUM(v) OVER (PARTITION BY id) AS v, arr FROM tab) AS ${alias}`,
      () => {
        const { from, names } = this.#from(NOTHING, depth - 1);
        const [id, v] = [this.#number(names, depth - 1), this.#number(names, depth - 1)];
        return `(SELECT ${id} AS id, ${v} AS v, ${this.#array(names, depth - 1)} AS arr FROM ${from}) AS ${alias}`;
      },
    ];
    if (this.#chance(25)) {
      return { from: `UNNEST(${this.#array(outer, 0)}) AS ${alias}`, names: { numbers: [alias], arrays: [] } };
    }
    const source = sources[this.#random(depth > 0 ? sources.length : 2)] ?? (() => `tab AS ${alias}`);
    return { from: source(), names: this.#table(alias) };
  }

  /** FROM with joins; `names` are its own and those around it. */
  #from(outer: Names, depth: number): { readonly from: string; readonly names: Names } {
    let { from, names: own } = this.#source(outer, depth);
    for (let joins = this.#random(3); joins > 0; joins--) {
      const kind = this.#pick(["CROSS JOIN", "LEFT JOIN", "JOIN"], "JOIN");
      if (this.#chance(40) && own.arrays.length > 0) {
        const element = this.#name();
        from += ` ${kind === "LEFT JOIN" ? kind : "CROSS JOIN"} UNNEST(${this.#pick(own.arrays, "")}) AS ${element}`;
        own = merge(own, { numbers: [element], arrays: [] });
        continue;
      }
      const right = this.#source(outer, 0);
      own = merge(own, right.names);
      const on = kind === "CROSS JOIN" ? "" : ` ON ${this.#number(own, 0)} = ${this.#number(own, 0)}`;
      from += ` ${kind} ${right.from}${on}`;
    }
    return { from, names: merge(outer, own) };
  }

  /** A sub-query of one row, or of any number of rows of one column. */
  #subquery(outer: Names, depth: number, isScalar: boolean): string {
    const { from, names } = this.#from(outer, depth);
    const where = this.#chance(50) ? ` WHERE ${this.#boolean(names, depth)}` : "";
    const value = this.#number(names, depth);
    if (isScalar) return `SELECT ${this.#pick(["SUM", "MIN", "COUNT"], "MAX")}(${value}) FROM ${from}${where}`;
    const forms = [
      `SELECT ${value} FROM ${from}${where}`,
      `SELECT DISTINCT ${value} FROM ${from}${where}`,
      `SELECT MAX(${value}) FROM ${from}${where} GROUP BY 0 + ${this.#number(names, 0)}`,
      `SELECT MAX(${value}) OVER (PARTITION BY ${this.#number(names, 0)}) FROM ${from}${where}`,
    ];
    return this.#pick(forms, "");
  }

  #number(names: Names, depth: number): string {
    const inner = depth - 1;
    const column = () => this.#pick(names.numbers, "1");
    const forms = [
      column,
      column,
      column,
      () => String(this.#random(6)),
      () => `(${this.#number(names, inner)} + ${this.#number(names, inner)})`,
      () => `CASE ${this.#number(names, inner)} WHEN ${this.#number(names, inner)} THEN 1 ELSE ${column()} END`,
      () => `CAST(SAFE_DIVIDE(${this.#number(names, inner)}, ${this.#number(names, inner)}) AS INT64)`,
      () => `IF(${this.#boolean(names, inner)}, ${column()}, ${this.#number(names, inner)})`,
      () => `(SELECT COUNT(*) FROM UNNEST(${this.#array(names, inner)}) AS x WHERE x > ${column()})`,
      () => `(${this.#subquery(names, inner, true)})`,
    ];
    return (forms[this.#random(depth > 0 ? forms.length : 4)] ?? column)();
  }

  #array(names: Names, depth: number): string {
    if (depth > 0 && this.#chance(30)) return `ARRAY(${this.#subquery(names, depth - 1, false)})`;
    return names.arrays.length > 0 && this.#chance(60) ? this.#pick(names.arrays, "") : `[${this.#random(4)}, 2]`;
  }

  #boolean(names: Names, depth: number): string {
    const inner = depth - 1;
    const compare = () =>
      `${this.#number(names, depth)} ${this.#pick(["=", "<", "!="], ">=")} ${this.#number(names, depth)}`;
    const forms = [
      compare,
      compare,
      () => `(${this.#boolean(names, inner)} OR ${this.#boolean(names, inner)})`,
      () => `EXISTS(${this.#subquery(names, inner, false)})`,
      () => `${this.#number(names, inner)} IN UNNEST(${this.#array(names, inner)})`,
      () => `${this.#number(names, inner)} IN (${this.#subquery(names, inner, false)})`,
      () => `${this.#number(names, inner)} IS NULL`,
    ];
    return (forms[this.#random(depth > 0 ? forms.length : 2)] ?? compare)();
  }
}
