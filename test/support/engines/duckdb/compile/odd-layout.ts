/**
 * A source whose fields are stored in every way that there is, with rows for tests. Of the record `r`, `x` is in
 * columns by type and `y` holds the same values in the JSON only; `s` and `t` hold those of them that are scalars.
 */

import { quoteString } from "../../../../../src/engines/duckdb/sql-text.ts";
import type { LeafLayout, TableLayout } from "../../../../../src/engines/schema/layout.ts";
import {
  arrayOf,
  BOOL,
  FLOAT64,
  INT64,
  MIXED,
  type RecordField,
  type RecordType,
  type ScalarType,
  type SqlType,
  STRING,
  TIMESTAMP,
} from "../../../../../src/googlesql/types.ts";

/** Values of every shape, as JSON has them in a record. */
export const oddValues: readonly unknown[] = [
  ...[0, 1, 5, -3, 200, 0.5, 2.5, -1.25, 0.0001, -0.00005, 1e21, 1e-7, 123456789.125, 2 ** 53, 1.5e300],
  ...["", "abc", "1.5", " 7 ", "12", "-0.0", "1e3", "inf", "NaN", "true", "FALSE", "yes", 'q"\\\u0001é', "q83="],
  ...["2024-02-29", "2023-02-29", "12:34:56.789", "2024-01-02 03:04:05", "2024-01-02T03:04:05Z", "x@example.com"],
  ...[true, false, [1, 2], ["a", "x@example.com"], [], [{ a: 1 }], null],
];

const record = (fields: readonly RecordField[], isOpen = false): RecordType => {
  return { kind: "RECORD", fields, isRepeated: false, isOpen };
};
const declared = (name: string, type: SqlType): RecordField => ({ name, type, isDeclared: true });
const inCases = (name: string, count: number) => {
  const names = Array.from({ length: count }, (_, at) => name.slice(0, at) + name.slice(at).toUpperCase());
  return { name, names: [...names, name] };
};
const mixed = { kind: "MIXED", record: record([{ name: "a", type: INT64 }]) } as const;

const inRecord = record([
  { name: "x", type: mixed },
  { name: "y", type: mixed },
  { name: "none", type: mixed },
  { name: "s", type: MIXED },
  { name: "t", type: MIXED },
  { name: "flagged", type: MIXED },
  { name: "lists", type: MIXED },
  { name: "records", type: mixed },
  { name: "a/b~c", type: STRING },
  { name: "p/q", type: INT64 },
  { name: "p", type: arrayOf(record([{ name: "q", type: FLOAT64 }])) },
  { ...inCases("spellings", 8), type: STRING },
  {
    ...inCases("deep", 2),
    type: arrayOf(
      record([{ ...inCases("deeper", 2), type: arrayOf(record([{ ...inCases("value", 2), type: INT64 }])) }]),
    ),
  },
  { name: "number", type: FLOAT64 },
  { name: "list", type: arrayOf(INT64) },
  { name: "missing", type: { kind: "UNKNOWN" } },
  declared("int", INT64),
  declared("float", FLOAT64),
  declared("flag", BOOL),
  declared("word", STRING),
  declared("ints", arrayOf(INT64)),
]);
const inOpen = record(
  [
    { name: "known", type: STRING },
    { name: "within", type: arrayOf(record([], true)) },
  ],
  true,
);

const leaf = (column: string, type: SqlType): LeafLayout => ({ type, variants: [{ column, type }] });
const variants = [
  { column: "x_int", type: INT64 },
  { column: "x_float", type: FLOAT64 },
  { column: "x_text", type: STRING },
  { column: "x_flag", type: BOOL },
  { column: "x_ints", type: arrayOf(INT64) },
  { column: "x_texts", type: arrayOf(STRING) },
];

function layout(name: string, isOpen: boolean): TableLayout {
  return {
    definition: {
      name,
      isLenient: true,
      columns: [
        { name: "id", type: STRING },
        { name: "timestamp", type: TIMESTAMP },
        { name: "event_message", type: STRING },
        { name: "r", type: arrayOf(inRecord) },
        { name: "o", type: arrayOf(inOpen) },
        { name: "both", type: arrayOf(record([{ name: "a", type: INT64 }])) },
        { name: "word", type: STRING },
        { name: "number", type: INT64 },
        { name: "texts", type: arrayOf(STRING) },
        { name: "mixed", type: MIXED },
        { name: "nowhere", type: STRING },
        { name: "gone", type: { kind: "UNKNOWN" } },
        { name: "part", type: MIXED },
        { name: "empty", type: STRING },
      ],
    },
    table: "odd_1",
    recordColumns: new Map([
      ["r", "json_r"],
      ["o", "json_o"],
      ["both", "json_both"],
    ]),
    leaves: new Map<string, LeafLayout>([
      ["id", leaf("id", STRING)],
      ["timestamp", leaf("timestamp", TIMESTAMP)],
      ["event_message", leaf("event_message", STRING)],
      ["r.x", { type: MIXED, variants, presence: "x_record" }],
      ["r.s", { type: MIXED, variants: variants.slice(0, 4) }],
      ["r.flagged", { type: MIXED, variants: [variants[0], variants[3]].flatMap((each) => each ?? []) }],
      ["r.lists", { type: MIXED, variants }],
      ["r.records", { type: MIXED, variants: variants.slice(0, 4), presence: "x_record" }],
      ["r.none", { type: MIXED, variants: [] }],
      [
        "r.number",
        {
          type: FLOAT64,
          variants: [
            { column: "n_int", type: INT64 },
            { column: "n_float", type: FLOAT64 },
          ],
        },
      ],
      ["part", { type: MIXED, variants: variants.slice(0, 1), isPartial: true }],
      ["r.p/q", leaf("n_int", INT64)],
      ["r.p.q", leaf("n_float", FLOAT64)],
      ["empty", { type: STRING, variants: [] }],
    ]),
    presence: new Map([["r", "has_r"]]),
    rest: {
      column: "rest",
      names: new Map([
        ["both", ["both"]],
        ["word", ["word", "Word"]],
        ["number", ["number"]],
        ["texts", ["texts"]],
        ["mixed", ["mixed"]],
        ["gone", ["gone"]],
        ["part", ["part"]],
      ]),
      isOpen,
    },
  };
}

/** `s` of the record as a field of its own, without any JSON. */
const bare: TableLayout = {
  definition: {
    name: "bare",
    isLenient: true,
    columns: [
      { name: "id", type: STRING },
      { name: "s", type: MIXED },
    ],
  },
  table: "odd_1",
  recordColumns: new Map(),
  leaves: new Map<string, LeafLayout>([
    ["id", leaf("id", STRING)],
    ["s", { type: MIXED, variants: variants.slice(0, 4) }],
  ]),
  presence: new Map(),
};

/** The source, the same where fields may have spellings that are not listed, and one without JSON. */
export const oddLayouts: readonly TableLayout[] = [layout("odd", false), layout("open", true), bare];

function columnOf(value: unknown): string | undefined {
  if (Array.isArray(value)) {
    if (typeof value[0] === "object") return "x_record";
    return typeof value[0] === "string" ? "x_texts" : "x_ints";
  }
  if (typeof value === "number") return Number.isSafeInteger(value) ? "x_int" : "x_float";
  return value === null ? undefined : typeof value === "string" ? "x_text" : "x_flag";
}

/** A row with these columns and values, which DuckDB reads from texts. */
function insert(columns: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(columns).filter(([, value]) => value !== undefined);
  const values = given.map(([, value]) => quoteString(value ?? ""));
  return `INSERT INTO odd_1 (${given.map(([name]) => name).join(", ")}) VALUES (${values.join(", ")})`;
}

const time = "2024-01-02 03:04:05";

function insertValue(value: unknown, index: number): string {
  const column = columnOf(value);
  const scalar = typeof value === "object" ? {} : { s: value, t: value };
  const shown = value === null ? {} : { x: value, y: value, lists: value, records: value, ...scalar };
  const text = Array.isArray(value) && column !== "x_record" ? `[${value.join(", ")}]` : String(value);
  return insert({
    id: `v${String(index).padStart(2, "0")}`,
    timestamp: time,
    has_r: "true",
    json_r: JSON.stringify([shown]),
    ...(column === undefined ? {} : { [column]: column === "x_record" ? "true" : text }),
  });
}

/** The JSON of records and of what has no column, be it as text, and columns. */
export interface OddRow {
  readonly r?: unknown;
  readonly o?: unknown;
  readonly both?: unknown;
  readonly rest?: unknown;
  readonly [column: string]: unknown;
}

function insertRow(id: string, { r, o, both, rest, ...columns }: OddRow): string {
  const json = (value: unknown) => {
    return value === undefined || typeof value === "string" ? value : JSON.stringify([value]);
  };
  return insert({
    id,
    timestamp: time,
    has_r: r === undefined ? undefined : "true",
    json_r: json(r),
    json_o: json(o),
    json_both: json(both),
    rest: json(rest),
    ...Object.fromEntries(Object.entries(columns).map(([name, value]) => [name, String(value)])),
  });
}

/** Makes the table, with a row for each value and others. */
export const makeOddTable = (rows: Readonly<Record<string, OddRow>>): readonly string[] => [
  `CREATE TABLE odd_1 (id VARCHAR, timestamp TIMESTAMP, event_message VARCHAR, json_r VARCHAR, json_o VARCHAR,
     json_both VARCHAR, rest VARCHAR, has_r BOOLEAN, x_int BIGINT, x_float DOUBLE, x_text VARCHAR, x_flag BOOLEAN,
     x_ints BIGINT[], x_texts VARCHAR[], x_record BOOLEAN, n_int BIGINT, n_float DOUBLE)`,
  ...oddValues.map(insertValue),
  ...Object.entries(rows).map(([id, row]) => insertRow(id, row)),
];

/** The types that a value of several shapes may be taken for. */
export const scalarTypes: readonly ScalarType["kind"][] = [
  ...(["INT64", "FLOAT64", "NUMERIC", "BIGNUMERIC", "BOOL", "STRING", "BYTES"] as const),
  ...(["DATE", "TIME", "DATETIME", "TIMESTAMP"] as const),
];
