/** The judge: what a resolved query answers over small tables, computed row by row. Slow and obvious. */
import type { AggregateCall, Column, CteDefinition, ResolvedQuery, Scan } from "../../src/googlesql/resolved.ts";
import { aggregate, compareKeys, distinctBy } from "./aggregates.ts";
import { Expressions, type Row } from "./expressions.ts";
import { columnsOf, sameExpression } from "./tree.ts";
import { cellOf, Failure, itemsOf, keyOf, Lacking, TooMuch, type Value } from "./values.ts";
import { windowValues } from "./windows.ts";

type ScanOf<Kind extends Scan["kind"]> = Extract<Scan, { kind: Kind }>;

export interface TestData {
  /** Rows of each table, by the names of its columns. */
  readonly tables: ReadonlyMap<string, readonly Readonly<Record<string, Value>>[]>;
  readonly parameters: ReadonlyMap<string | number, Value>;
}

export interface Judgement {
  /** As "cells". */
  readonly rows: readonly (readonly unknown[])[];
  /** For each row a text; rows of the same text may come in any order among themselves. */
  readonly places: readonly string[];
}

/** Pairs of rows that one join may form. */
const MOST_PAIRS = 2_000;

const NOTHING: Row = new Map();

/** Throws a `Failure` where the query fails by GoogleSQL's rules, and `Lacking` where the judge has no rule. */
export function judge(query: ResolvedQuery, data: TestData): Judgement {
  const rows = new Judge(data).scan(query.scan, NOTHING);
  const order = query.order ?? [];
  const keysOf = (row: Row) => order.map(({ column }) => row.get(column.id) ?? null);
  const sorted = [...rows].sort((a, b) => compareKeys(order, keysOf(a), keysOf(b)));
  return {
    rows: sorted.map((row) => query.columns.map(({ column }) => cellOf(column.type, row.get(column.id) ?? null))),
    places: sorted.map((row) => keyOf(keysOf(row))),
  };
}

function keyOfColumns(row: Row, columns: readonly Column[]): string {
  return keyOf(columns.map(({ id }) => row.get(id) ?? null));
}

/** The row with some columns renamed, over the rows around it. */
function renamed(outer: Row, row: Row, from: readonly Column[], to: readonly Column[]): Row {
  return new Map([...outer, ...to.map(({ id }, index) => [id, row.get(from[index]?.id ?? -1) ?? null] as const)]);
}

class Judge {
  readonly #data: TestData;
  readonly #expressions: Expressions;
  readonly #ctes = new Map<number, readonly Row[]>();

  constructor(data: TestData) {
    this.#data = data;
    this.#expressions = new Expressions(data.parameters, (scan, outer) => this.scan(scan, outer));
  }

  scan(scan: Scan, outer: Row): readonly Row[] {
    switch (scan.kind) {
      case "SingleRow":
        return [outer];
      case "Table":
        return this.#table(scan, outer);
      case "Cte":
        return (this.#ctes.get(scan.cte.id) ?? []).map((row) => renamed(outer, row, scan.cte.output, scan.columns));
      case "Unnest":
        return this.#unnest(scan, outer);
      case "Join":
        return this.#join(scan, outer);
      case "Filter":
        return this.scan(scan.input, outer).filter((row) => this.#expressions.value(scan.predicate, row) === true);
      case "Project":
        return this.scan(scan.input, outer).map((row) => this.#expressions.computed(scan.computed, row));
      case "Aggregate":
        return this.#aggregate(scan, outer);
      case "Window":
        return this.#window(scan, outer);
      case "Distinct": {
        const inputs = scan.columns.map(({ input }) => input);
        const outputs = scan.columns.map(({ column }) => column);
        const rows = this.scan(scan.input, outer).map((row) => renamed(outer, row, inputs, outputs));
        return distinctBy(rows, (row) => keyOfColumns(row, outputs));
      }
      case "SetOperation":
        return this.#setOperation(scan, outer);
      case "OrderBy": {
        const keysOf = (row: Row) => scan.keys.map(({ column }) => row.get(column.id) ?? null);
        return [...this.scan(scan.input, outer)].sort((a, b) => compareKeys(scan.keys, keysOf(a), keysOf(b)));
      }
      case "Limit": {
        const offset = scan.offset === undefined ? 0 : Number(this.#expressions.value(scan.offset, outer));
        const count =
          scan.count === undefined ? undefined : offset + Number(this.#expressions.value(scan.count, outer));
        return this.scan(scan.input, outer).slice(offset, count);
      }
      case "With":
        for (const cte of scan.ctes) this.#ctes.set(cte.id, this.#cte(cte, outer));
        return this.scan(scan.input, outer);
      default:
        throw new Lacking(scan.kind);
    }
  }

  #table({ table, columns }: ScanOf<"Table">, outer: Row): readonly Row[] {
    const rows = this.#data.tables.get(table.name);
    if (rows === undefined) throw new Lacking(`The table ${table.name}`);
    return rows.map(
      (row) => new Map([...outer, ...columns.map(({ source, column }) => [column.id, row[source] ?? null] as const)]),
    );
  }

  #cte({ id, scan, output, isRecursive }: CteDefinition, outer: Row): readonly Row[] {
    if (!isRecursive || scan.kind !== "Recursive") return this.scan(scan, outer);
    const { anchor, step, columns, isAll } = scan;
    const take = (part: typeof anchor) =>
      this.scan(part.scan, outer).map((row) => renamed(outer, row, part.columns, columns));
    const all: Row[] = [];
    const seen = new Set<string>();
    const keepNew = (rows: readonly Row[]) =>
      isAll
        ? rows
        : distinctBy(rows, (row) => keyOfColumns(row, columns)).filter((row) => !seen.has(keyOfColumns(row, columns)));
    for (let rows = keepNew(take(anchor)); rows.length > 0; rows = keepNew(take(step))) {
      all.push(...rows);
      for (const row of rows) seen.add(keyOfColumns(row, columns));
      this.#ctes.set(
        id,
        rows.map((row) => renamed(outer, row, columns, output)),
      );
    }
    return all.map((row) => renamed(outer, row, columns, output));
  }

  #unnest(scan: ScanOf<"Unnest">, outer: Row): readonly Row[] {
    const inputs = scan.input === undefined ? [outer] : this.scan(scan.input, outer);
    return inputs.flatMap((row) => {
      const arrays = scan.arrays.map(({ array }) => itemsOf(this.#expressions.value(array, row) ?? []));
      const lengths = arrays.map(({ length }) => length);
      if (scan.mode === "STRICT" && new Set(lengths).size > 1) throw new Failure("arrays of different lengths");
      const length = scan.mode === "TRUNCATE" ? Math.min(...lengths) : Math.max(...lengths);
      const element = (at: number | undefined) => {
        const made = new Map(row);
        scan.arrays.forEach(({ element }, index) => {
          made.set(element.id, at === undefined ? null : (arrays[index]?.[at] ?? null));
        });
        if (scan.offset !== undefined) made.set(scan.offset.id, at === undefined ? null : BigInt(at));
        return made;
      };
      const rows = Array.from({ length }, (_, at) => element(at));
      const matching = rows.filter((made) => scan.on === undefined || this.#expressions.value(scan.on, made) === true);
      return matching.length === 0 && scan.isOuter ? [element(undefined)] : matching;
    });
  }

  #join(scan: ScanOf<"Join">, outer: Row): readonly Row[] {
    const lefts = this.scan(scan.left, outer);
    const common = scan.isLateral === true ? undefined : this.scan(scan.right, outer);
    const matchedRights = new Set<Row>();
    if (lefts.length * (common?.length ?? 1) > MOST_PAIRS) throw new TooMuch();
    const joined = lefts.flatMap((left) => {
      const pairs = (common ?? this.scan(scan.right, left)).map((right) => ({
        right,
        row: new Map([...left, ...right]),
      }));
      const matches = pairs.filter(
        ({ row }) => scan.on === undefined || this.#expressions.value(scan.on, row) === true,
      );
      for (const { right } of matches) matchedRights.add(right);
      const isKept = matches.length === 0 && (scan.type === "LEFT" || scan.type === "FULL");
      return isKept ? [withNulls(left, scan.right)] : matches.map(({ row }) => row);
    });
    if (scan.type !== "RIGHT" && scan.type !== "FULL") return joined;
    const rest = (common ?? []).filter((right) => !matchedRights.has(right));
    return [...joined, ...rest.map((right) => withNulls(right, scan.left))];
  }

  #aggregate({ input, groupBy, groupingSets, aggregates }: ScanOf<"Aggregate">, outer: Row): readonly Row[] {
    const rows = this.scan(input, outer).map((row) => ({ row, keys: this.#expressions.computed(groupBy, row) }));
    const all = groupBy.map(({ column }) => column);
    return (groupingSets ?? [all]).flatMap((set) => {
      const groups = new Map<string, typeof rows>();
      if (set.length === 0) groups.set("[]", []);
      for (const item of rows) {
        const key = keyOfColumns(item.keys, set);
        groups.set(key, [...(groups.get(key) ?? []), item]);
      }
      return [...groups.values()].map((group) => {
        const made = new Map(outer);
        for (const column of all) made.set(column.id, null);
        for (const column of set) made.set(column.id, group[0]?.keys.get(column.id) ?? null);
        const members = group.map(({ row }) => row);
        for (const { column, call } of aggregates) {
          made.set(column.id, call.function === "GROUPING" ? grouping(call, groupBy, set) : this.#fold(call, members));
        }
        return made;
      });
    });
  }

  #fold(call: AggregateCall, rows: readonly Row[]): Value {
    return aggregate(call, rows, (expression, row) => this.#expressions.value(expression, row ?? NOTHING));
  }

  #window({ input, functions }: ScanOf<"Window">, outer: Row): readonly Row[] {
    const rows = this.scan(input, outer).map((row) => new Map(row));
    const found = functions.map(({ call }) =>
      windowValues(call, rows, (expression, row) => this.#expressions.value(expression, row)),
    );
    functions.forEach(({ column }, index) => {
      rows.forEach((row, at) => {
        row.set(column.id, found[index]?.[at] ?? null);
      });
    });
    return rows;
  }

  #setOperation({ operator, isAll, inputs, columns }: ScanOf<"SetOperation">, outer: Row): readonly Row[] {
    const key = (row: Row) => keyOfColumns(row, columns);
    const sides = inputs.map((item) =>
      this.scan(item.scan, outer).map((row) => renamed(outer, row, item.columns, columns)),
    );
    const [first = [], ...rest] = sides;
    let combined: readonly Row[] = first;
    for (const right of rest) combined = combine(operator, isAll, combined, right, key);
    return isAll ? combined : distinctBy(combined, key);
  }
}

function combine(
  operator: ScanOf<"SetOperation">["operator"],
  isAll: boolean,
  left: readonly Row[],
  right: readonly Row[],
  key: (row: Row) => string,
): readonly Row[] {
  if (operator === "UNION") return [...left, ...right];
  const remaining = new Map<string, number>();
  for (const row of right) remaining.set(key(row), (remaining.get(key(row)) ?? 0) + 1);
  return left.filter((row) => {
    const count = remaining.get(key(row)) ?? 0;
    if (isAll) remaining.set(key(row), count - 1);
    return operator === "INTERSECT" ? count > 0 : count <= 0;
  });
}

function withNulls(row: Row, side: Scan): Row {
  return new Map([...columnsOf(side).map(({ id }) => [id, null] as const), ...row]);
}

function grouping(call: AggregateCall, keys: ScanOf<"Aggregate">["groupBy"], set: readonly Column[]): Value {
  const [argument] = call.arguments;
  const key = keys.find(({ expression }) => argument !== undefined && sameExpression(expression, argument));
  if (key === undefined) throw new Lacking("GROUPING of no key");
  return set.some(({ id }) => id === key.column.id) ? 0n : 1n;
}
