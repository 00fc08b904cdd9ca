/** Small tables: as the resolver, as the engine and as the judge see them. */

import type { ParameterValue } from "../../src/engines/contract/query-engine.ts";
import type { LeafLayout, TableLayout } from "../../src/engines/schema/layout.ts";
import {
  arrayOf,
  BOOL,
  FLOAT64,
  INT64,
  type RecordField,
  type SqlType,
  STRING,
  TIMESTAMP,
} from "../../src/googlesql/types.ts";
import { Choices } from "./choices.ts";
import type { TestData } from "./evaluate.ts";
import type { RecordValue, Value } from "./values.ts";

type TableRow = Readonly<Record<string, Value>>;

const PLAIN: readonly (readonly [string, SqlType, string])[] = [
  ["id", INT64, "BIGINT"],
  ["k", INT64, "BIGINT"],
  ["s", STRING, "VARCHAR"],
  ["f", FLOAT64, "DOUBLE"],
  ["b", BOOL, "BOOLEAN"],
  ["ts", TIMESTAMP, "TIMESTAMP"],
  ["arr", arrayOf(INT64), "BIGINT[]"],
];

function record(fields: readonly RecordField[], isRepeated = false): SqlType {
  return arrayOf({ kind: "RECORD", fields, isRepeated, isOpen: false });
}

const inner = record([
  { name: "x", type: INT64 },
  { name: "z", type: STRING },
]);
const list = record([{ name: "y", type: INT64 }], true);

/** Two log sources: what they have in common has one type, and each has fields that the other lacks. */
const RECORDS: Readonly<Record<string, readonly RecordField[]>> = {
  e1: [
    { name: "n", type: INT64 },
    { name: "w", type: STRING },
    { name: "r", type: inner },
    { name: "l", type: list },
  ],
  e2: [
    { name: "n", type: INT64 },
    { name: "v", type: STRING },
    { name: "r", type: record([{ name: "x", type: INT64 }]) },
  ],
};

function leaf(column: string, type: SqlType): readonly [string, LeafLayout] {
  return [column, { type, variants: [{ column: column.replaceAll(".", "_"), type }] }];
}

function plainLayout(name: string): TableLayout {
  return {
    definition: { name, columns: PLAIN.map(([column, type]) => ({ name: column, type })) },
    table: name,
    recordColumns: new Map(),
    leaves: new Map(PLAIN.map(([column, type]) => leaf(column, type))),
    presence: new Map(),
  };
}

/** `m.w`, `m.v` and all of `m.l` are in the JSON only. */
function recordLayout(name: string, fields: readonly RecordField[]): TableLayout {
  const columns = [
    { name: "id", type: INT64 },
    { name: "ts", type: TIMESTAMP },
    { name: "m", type: record(fields) },
  ];
  const leaves = [leaf("id", INT64), leaf("ts", TIMESTAMP), leaf("m.n", INT64), leaf("m.r.x", INT64)];
  return {
    definition: { name, isLenient: true, columns },
    table: name,
    recordColumns: new Map([["m", "m_json"]]),
    leaves: new Map(leaves),
    presence: new Map([
      ["m", "m_present"],
      ["m.r", "m_r_present"],
    ]),
  };
}

export const layouts: readonly TableLayout[] = [
  plainLayout("t"),
  plainLayout("u"),
  ...Object.entries(RECORDS).map(([name, fields]) => recordLayout(name, fields)),
];

export const parameterTypes: ReadonlyMap<string, SqlType> = new Map<string, SqlType>([
  ["n", INT64],
  ["s", STRING],
  ["none", INT64],
]);
export const parameterValues: Readonly<Record<string, ParameterValue>> = { n: "2", s: "b", none: null };

/** Microseconds of some moments, two of them within one hour, one before 1970. */
const MOMENTS = [1_577_836_800_000_000n, 1_577_838_600_500_000n, 1_580_515_200_000_000n, -1n];

function plainRow(choices: Choices, id: number): TableRow {
  return {
    id: BigInt(id),
    k: choices.pick([1n, 2n, null, 3n, 2n, -1n]),
    s: choices.pick(["a", "b", null, "ab", "", "Bä", "from 192.0.2.7", "192.0.2.8"]),
    f: choices.pick([0.5, 1, null, -2.25, Number.NaN, 3, 0.5]),
    b: choices.pick([true, false, null]),
    ts: choices.pick([...MOMENTS, null]),
    arr: choices.pick<Value>([[1n, 2n], [], [2n], null, [3n, 1n, 2n]]),
  };
}

function recordRow(choices: Choices, id: number, name: string): TableRow {
  const given = (field: string, values: readonly unknown[]) => {
    const value = choices.pick(values);
    return value === undefined ? [] : [[field, value] as const];
  };
  const record = (fields: readonly (readonly [string, unknown])[]): readonly [RecordValue] => [
    Object.fromEntries(fields),
  ];
  const inner = () =>
    record([...given("x", [1, 2, undefined]), ...(name === "e1" ? given("z", ["q", undefined, "::1"]) : [])]);
  const fields = [
    ...given("n", [1, 2, undefined, 5]),
    ...given(name === "e1" ? "w" : "v", ["a", undefined, "b", "a@example.com", "b 192.0.2.7"]),
    ...given("r", [inner(), inner(), undefined]),
    ...(name === "e1" ? given("l", [[{ y: 1 }, { y: 2 }], undefined, [{ y: 3 }], [{}], []]) : []),
  ];
  return {
    id: BigInt(id),
    ts: choices.pick([...MOMENTS, null]),
    m: choices.chance(15) ? null : record(fields),
  };
}

export function makeTestData(numbers: readonly number[]): TestData {
  const choices = new Choices(numbers);
  const rows = (make: (id: number) => TableRow) =>
    choices.times(choices.pick([4, 3, 4, 2, 1, 0]), (at) => make(at + 1));
  const tables = ["t", "u"].map((name) => [name, rows((id) => plainRow(choices, id))] as const);
  const sources = ["e1", "e2"].map((name) => [name, rows((id) => recordRow(choices, id, name))] as const);
  return {
    tables: new Map([...tables, ...sources]),
    parameters: new Map<string, Value>([
      ["n", 2n],
      ["s", "b"],
      ["none", null],
    ]),
  };
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return "NULL";
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value === "string") return `'${value}'`;
  return typeof value === "number" ? `'${value}'::DOUBLE` : String(value);
}

const moment = (value: Value | undefined) => (typeof value === "bigint" ? `make_timestamp(${value})` : "NULL");

function recordLiteral({ id, ts, m }: TableRow): string {
  const json = m === null || m === undefined ? null : (m as readonly [RecordValue]);
  const nested = json?.[0].r as readonly [RecordValue] | undefined;
  const [n, x] = [json?.[0].n, nested?.[0].x].map((field) => (field === undefined ? "NULL" : String(field)));
  const present = [json !== null || null, nested !== undefined || null].map(literal);
  return `(${literal(id)}, ${moment(ts)}, ${literal(json === null ? null : JSON.stringify(json))}, ${n}, ${x}, ${present.join(", ")})`;
}

/** The statements that make the engine's tables. */
export function statementsOf({ tables }: TestData): readonly string[] {
  return [...tables].flatMap(([name, rows]) => {
    const isPlain = RECORDS[name] === undefined;
    const columns = isPlain
      ? PLAIN.map(([column, , type]) => `${column} ${type}`).join(", ")
      : "id BIGINT, ts TIMESTAMP, m_json VARCHAR, m_n BIGINT, m_r_x BIGINT, m_present BOOLEAN, m_r_present BOOLEAN";
    const values = rows.map((row) =>
      isPlain
        ? `(${PLAIN.map(([column]) => (column === "ts" ? moment(row.ts) : literal(row[column]))).join(", ")})`
        : recordLiteral(row),
    );
    const insert = rows.length === 0 ? [] : [`INSERT INTO ${name} VALUES ${values.join(", ")}`];
    return [`CREATE OR REPLACE TABLE ${name} (${columns})`, ...insert];
  });
}
