/** Sources with fields of every shape, read from columns or from JSON, for tests. */

import type { EventValue, LogEvent, RowEncoding } from "../../../../../src/engines/contract/query-engine.ts";
import { openMemoryEngine } from "../../../../../src/engines/duckdb/index.ts";
import { parseQuery } from "../../../../../src/googlesql/parse.ts";
import { resolveQuery } from "../../../../../src/googlesql/resolve.ts";

/** The value of one event at `metadata.x`; undefined if it has no such field. */
export type Shape = EventValue | undefined;

/** One value of every kind. */
const shapes: readonly Shape[] = [
  200,
  "200",
  "abc",
  1.5,
  true,
  [1, "b", 2.5],
  { a: 7, name: "rec" },
  [{ a: 8 }, { a: 9 }],
  undefined,
  9007199254740993n,
  "",
  "true",
  [],
  -3,
  1e21,
  18446744073709551616n,
  'q"\\\u0001\u2028é',
];

export interface NumberedShape {
  readonly n: number;
  readonly x: Shape;
}

/** With the place of each, which queries know it by. */
export const everyShape: readonly NumberedShape[] = shapes.map((x, n) => ({ n, x }));

/** More fields than have columns of their own. */
const filler = Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`filler${i}`, 1]));

interface ShapesOptions {
  /** Without columns for them. */
  readonly isNarrow?: boolean;
}

export interface ShapesEngine {
  /** Makes a source of these values, each as `x` of an event of its own, and of its metadata. */
  store(name: string, shapes: readonly NumberedShape[], options?: ShapesOptions): Promise<void>;
  /**
   * Makes a source of several such lists, the i-th as `x` of the record `r<i>` of as many events, with the place in
   * it as `n`.
   */
  storeRecords(name: string, lists: readonly (readonly Shape[])[], options?: ShapesOptions): Promise<void>;
  /** The text of the rows that a query answers. */
  text(sql: string, encoding?: RowEncoding, parameters?: Readonly<Record<string, string>>): Promise<string>;
  rows(sql: string): Promise<readonly unknown[]>;
  close(): Promise<void>;
}

const signal = new AbortController().signal;

function eventOf(id: string, timestampUs: bigint, fields: LogEvent["fields"]): LogEvent {
  return { id, hasGeneratedId: true, timestampUs, eventMessage: null, fields };
}

function recordOf(n: number, x: Shape): EventValue {
  return x === undefined ? { n } : { n, x };
}

export async function openShapesEngine(): Promise<ShapesEngine> {
  const engine = await openMemoryEngine({ threads: 2 });
  const names: string[] = [];
  const text: ShapesEngine["text"] = async (sql, encoding = "objects", values = {}) => {
    const tables = { findTable: (name: string) => engine.store.describe(name), tableNames: () => names };
    const parameters = new Map(Object.keys(values).map((key) => [key, { kind: "STRING" } as const]));
    const compiled = engine.compile(resolveQuery(parseQuery(sql), sql, { tables, parameters }), { text: sql });
    const limits = { timeoutMs: 60_000, maxRows: 10_000, maxResultBytes: 10_000_000 };
    const bound = compiled.parameters.map(({ key }) => values[String(key)] ?? null);
    const { batches } = await engine.run({ query: compiled, values: bound, encoding, limits, signal });
    const parts: string[] = [];
    for await (const { json } of batches) parts.push(json);
    return parts.filter((part) => part !== "").join(",");
  };
  const makeSource = async (name: string, { isNarrow = false }: ShapesOptions = {}) => {
    await engine.store.ensureSource({ name, knownFields: [] });
    names.push(name);
    if (isNarrow) await engine.store.append(name, [eventOf("filler", -1n, { filler })], signal);
  };
  return {
    async store(name, shapes, options) {
      await makeSource(name, options);
      const indexed = shapes.map(({ n, x }) => {
        const own: Record<string, EventValue> = x === undefined ? {} : { x };
        return eventOf(`${n}`, BigInt(n), { ...own, metadata: { n, ...own } });
      });
      // One by one, so that each widens the table that holds those before it.
      for (const event of indexed) await engine.store.append(name, [event], signal);
    },
    async storeRecords(name, lists, options) {
      await makeSource(name, options);
      for (let n = 0; lists.some(({ length }) => length > n); n++) {
        const records = lists.flatMap((list, i) => (n < list.length ? [[`r${i}`, recordOf(n, list[n])] as const] : []));
        await engine.store.append(name, [eventOf(`${n}`, BigInt(n), Object.fromEntries(records))], signal);
      }
    },
    text,
    rows: async (sql) => JSON.parse(`[${await text(sql)}]`) as unknown[],
    close: () => engine.close(),
  };
}
