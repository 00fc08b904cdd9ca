import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { OutputColumn } from "../engines/contract/query-engine.ts";
import { arrayOf, type SqlType, structOf } from "../googlesql/types.ts";
import { formatIsoTimestamp } from "../values/iso-timestamp.ts";
import { readableTimes } from "./readable-times.ts";

/** A type, and for each of its values what an answer writes and what a model is to read. */
interface Sample {
  readonly type: SqlType;
  readonly value: fc.Arbitrary<readonly [answered: unknown, told: unknown]>;
}

const same = (value: fc.Arbitrary<unknown>) => value.map((each) => [each, each] as const);
const orNull = ({ type, value }: Sample): Sample => ({
  type,
  value: fc.oneof({ weight: 5, arbitrary: value }, fc.constant([null, null] as const)),
});
const text = (kind: "DATE" | "TIME" | "DATETIME" | "STRING" | "JSON", ...values: readonly string[]): Sample => ({
  type: { kind },
  value: same(fc.constantFrom(...values)),
});
/** Whole microseconds, as far as the JSON of this test holds them. */
const micros = fc.integer({ min: -62_135_596_800_000_000 / 8, max: 2 ** 52 });
const instant = (us: number) => formatIsoTimestamp(BigInt(us));
const answered = (us: number) =>
  `${instant(us)
    .replace("T", " ")
    .replace(/(?:\.000000)?Z$/, "")}+00`;

const scalars: readonly Sample[] = [
  { type: { kind: "TIMESTAMP" }, value: micros.map((us) => [us, instant(us)] as const) },
  text("DATE", "0001-01-01", "2026-08-20"),
  text("TIME", "09:00:00", "23:59:59.000001"),
  text("DATETIME", "2026-08-20T09:00:00", "2026-08-20T09:00:00.123456"),
  text("STRING", "2026-08-20 09:00:00+00", '1787049999500001, "x": [1', "null"),
  text("JSON", "1787049999500001"),
  { type: { kind: "INT64" }, value: same(micros) },
  { type: { kind: "MIXED" }, value: same(fc.jsonValue()) },
  {
    type: { kind: "RANGE", element: { kind: "TIMESTAMP" } },
    value: fc
      .tuple(micros, micros)
      .map(([a, b]) => [`[${answered(a)}, ${answered(b)})`, `[${instant(a)}, ${instant(b)})`] as const),
  },
  {
    type: { kind: "RANGE", element: { kind: "TIMESTAMP" } },
    value: micros.map((us) => [`[UNBOUNDED, ${answered(us)})`, `[UNBOUNDED, ${instant(us)})`] as const),
  },
  {
    type: { kind: "RANGE", element: { kind: "DATE" } },
    value: same(fc.constant("[2026-08-20, UNBOUNDED)")),
  },
];

const pair = (index: 0 | 1) => (values: readonly (readonly [unknown, unknown])[]) => values.map((each) => each[index]);
const list = ({ type, value }: Sample): Sample => ({
  type: arrayOf(type),
  value: fc.array(value, { maxLength: 3 }).map((values) => [pair(0)(values), pair(1)(values)] as const),
});
const struct = (samples: readonly Sample[]): Sample => {
  const names = samples.map((_, index) => (index === 1 ? undefined : `f "${index}`));
  const named = (values: readonly unknown[]) =>
    Object.fromEntries(values.map((value, index) => [names[index] ?? `_field_${index + 1}`, value]));
  return {
    type: structOf(
      samples.map(({ type }, index) => {
        const name = names[index];
        return name === undefined ? { type } : { name, type };
      }),
    ),
    value: fc
      .tuple(...samples.map(({ value }) => value))
      .map((values) => [named(pair(0)(values)), named(pair(1)(values))] as const),
  };
};

const { sample } = fc.letrec<{ sample: Sample; scalar: Sample }>((tie) => ({
  scalar: fc.constantFrom(...scalars).map(orNull),
  sample: fc.oneof(
    { maxDepth: 3 },
    tie("scalar"),
    tie("sample").map(list),
    fc.array(tie("sample"), { minLength: 1, maxLength: 4 }).map(struct).map(orNull),
  ),
}));

describe("readableTimes", () => {
  it("writes each TIMESTAMP as ISO 8601 with Z, at any depth, and changes nothing else", () => {
    const rows = fc
      .array(sample, { minLength: 1, maxLength: 5 })
      .chain((samples) => fc.tuple(fc.constant(samples), fc.tuple(...samples.map(({ value }) => value))));
    fc.assert(
      fc.property(rows, ([samples, values]) => {
        const columns: readonly OutputColumn[] = samples.map(({ type }, index) => ({ name: `c${index}`, type }));
        const row = (index: 0 | 1) =>
          JSON.stringify(Object.fromEntries(values.map((value, column) => [`c${column}`, value[index]])));
        expect(readableTimes(columns)(row(0))).toBe(row(1));
      }),
    );
  });

  it("keeps every microsecond of the calendar", () => {
    const column = { name: "t", type: { kind: "TIMESTAMP" } } as const;
    expect(readableTimes([column])('{"t":253402300799999999}')).toBe('{"t":"9999-12-31T23:59:59.999999Z"}');
    expect(readableTimes([column])('{"t":-62135596800000000}')).toBe('{"t":"0001-01-01T00:00:00.000000Z"}');
  });
});
