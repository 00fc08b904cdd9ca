import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { codePoint } from "../../../../../test/support/code-point.ts";
import { decodeBatch } from "../../../../../test/support/engines/duckdb/batch/decode-batch.ts";
import { sampleSize } from "../../../../../test/support/sample-size.ts";
import { INT64, STRING } from "../../../../googlesql/types.ts";
import { parseEvents } from "../../../../ingest/parse-events.ts";
import { readPlainBody } from "../../../../ingest/plain-body.ts";
import type { PlainRules, StoredBody } from "../../../contract/query-engine.ts";
import { BatchBuilder, type EncodedBatch } from "../../../duckdb/batch/batch.ts";
import { BatchEncoder } from "../../../duckdb/batch/event-encoder.ts";
import type { EncodeOutcome, EncodingSchema } from "../../../encoder/protocol.ts";
import { createDeclaration } from "../../declaration.ts";
import { applyEntries, createFieldTree } from "../../field-tree.ts";
import { declaredEntries, defaultSchemaLimits, grantEntries } from "../../grant-entries.ts";
import type { SchemaEntry } from "../../schema-entry.ts";
import { TenantSets } from "../../source/tenant-sets.ts";
import { createPlainTree } from "./plain-tree.ts";

function bodyOf(text: string | Uint8Array, more: Partial<StoredBody> = {}): StoredBody {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  const nowUs = 1_790_000_000_000_000n;
  return {
    bytes,
    id: randomUUID(),
    contentType: "application/json",
    contentEncoding: undefined,
    nowUs,
    maxBytes: 1e6,
    wantsKeys: false,
    ...more,
  };
}

const encoder = new BatchEncoder();

function createSchema(full: readonly string[] = []) {
  const declaration = createDeclaration({
    name: "s",
    tenantField: "t",
    knownFields: [
      { path: "m.d", type: INT64 },
      { path: "e", type: STRING },
    ],
  });
  const tree = createFieldTree([], declaration);
  const granting = { tree, entries: [] as SchemaEntry[], tenants: new TenantSets(), limits: defaultSchemaLimits };
  const add = (entries: readonly SchemaEntry[]) => {
    granting.entries.push(...entries);
    applyEntries(tree, entries);
  };
  add(declaredEntries(tree));
  const schema: EncodingSchema = { tree, full: new Set(full), tenantField: "t" };
  /** Lets the schema have all that the events need. */
  const learn = async (body: StoredBody) => {
    const { events } = await parseEvents(body);
    for (let outcome = encoder.encode(schema, events); outcome.missing !== undefined; ) {
      add(grantEntries(granting, outcome.missing).entries);
      outcome = encoder.encode(schema, events);
    }
  };
  return { schema, learn };
}

/** Columns by name. */
function comparable(outcome: EncodeOutcome<EncodedBatch>) {
  if (outcome.missing !== undefined) return outcome;
  const { batch, carried } = outcome;
  const { ownIdRows, rowCount } = batch.header;
  const columns = decodeBatch(batch).map(({ column, type, rows, values }) => {
    return [column, { type, rows: rows === undefined ? undefined : [...rows], values }] as const;
  });
  return { columns: new Map(columns), ownIdRows, rowCount, carried };
}

/** Reads the body both ways; true where its bytes were enough. */
async function compare(schema: EncodingSchema, body: StoredBody): Promise<boolean> {
  const plainBody = await readPlainBody(body);
  const plain = plainBody === undefined ? undefined : encoder.encodePlain(schema, plainBody);
  if (plain === undefined) return false;
  const { events, rejected, untimed } = await parseEvents(body);
  expect(rejected).toEqual([]);
  expect(plain.untimed).toBe(untimed);
  expect(plain.eventCount).toBe(events.length);
  const newest = events.map(({ timestampUs }) => timestampUs).reduce((a, b) => (a > b ? a : b));
  expect(plain.newestTimestampUs).toBe(newest);
  expect(comparable(plain.outcome)).toEqual(comparable(encoder.encode(schema, events)));
  return true;
}

/** Whether every event of the body, once its fields are known, is read without parsing it. */
async function isPlain(text: string): Promise<boolean> {
  const { schema, learn } = createSchema();
  await learn(bodyOf(text));
  const plainBody = await readPlainBody(bodyOf(text));
  let parsed = 0;
  const startReading = (rules: PlainRules): PlainRules => ({
    ...rules,
    normalise: (...call) => {
      parsed++;
      return rules.normalise(...call);
    },
  });
  const counted = plainBody && { ...plainBody, startReading: () => startReading(plainBody.startReading()) };
  const encoded = counted && encoder.encodePlain(schema, counted);
  expect(await compare(schema, bodyOf(text))).toBe(encoded !== undefined);
  return encoded !== undefined && parsed === 0;
}

const space = fc.constantFrom("", "", "", " ", "\n\t", "\u00a0");
const string = fc.oneof(
  fc.constantFrom('""', '"x"', '"\\u00e9"', '"\\ud83d"', '"\\ud83d\\ude00"', '"a\\"b\\\\"', '"\u{1f600}"', '"\\u0000"'),
  fc.constantFrom(
    '"\\u001f\\/"',
    '"true"',
    '"2026-08-20T09:00:00Z"',
    '"12"',
    '"\t"',
    '"\\x"',
    `"${"long ".repeat(30)}"`,
  ),
  fc.string({ unit: codePoint }).map((text) => JSON.stringify(text)),
);
const numbers = ["0", "-0", "7", "-12", "007", "1.0", "1.5", "-2.50e3", "1e3", "1E400", "1e-7", "1e21", "0.1e", ".5"];
const longNumbers = ["999999999999999", "9007199254740993", "123456789012345678901", "1790000000000", "-"];
const scalar = fc.oneof(string, fc.constantFrom(...numbers, ...longNumbers, "true", "false", "null", "nul", "True"));
const name = fc.oneof(
  fc.constantFrom(
    "a",
    "b",
    "m",
    "d",
    "e",
    "t",
    "A",
    "_a",
    "a-b",
    "1",
    "",
    "__proto__",
    "_TABLE_x",
    "TABLE_x",
    "toString",
  ),
  fc.constantFrom("id", "timestamp", "message", "event_message", "log_entry", "batch", "Timestamp", "ID", "_timestamp"),
);
const { value } = fc.letrec<{ value: string; object: string }>((tie) => ({
  object: fc
    .array(fc.tuple(space, name, space, space, tie("value"), space), { maxLength: 5 })
    .map(
      (fields) =>
        `{${fields.map(([a, key, b, c, text, d]) => `${a}${JSON.stringify(key)}${b}:${c}${text}${d}`).join(",")}}`,
    ),
  value: fc.oneof(
    { maxDepth: 3 },
    { weight: 5, arbitrary: scalar },
    { weight: 2, arbitrary: tie("object") },
    { weight: 1, arbitrary: fc.array(tie("value"), { maxLength: 3 }).map((items) => `[${items.join(", ")}]`) },
  ),
}));
const event = fc
  .array(fc.tuple(name, value), { maxLength: 6 })
  .map((fields) => `{${fields.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(",")}}`);
const body = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.tuple(fc.array(event, { maxLength: 4 }), space).map(([all, gap]) => `[${all.join(`${gap},${gap}`)}]`),
  },
  { weight: 1, arbitrary: event },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.array(value), fc.constantFrom("[", ",", "]", "]]", ""))
      .map(([all, end]) => `[${all.join(",")}${end}`),
  },
);

describe("a body that is read from its bytes", () => {
  it("brings the same rows, entries and remarks as parsed events, or is left to be parsed", async () => {
    let plainCount = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(body, { maxLength: 3 }), body, fc.boolean(), async (known, text, isFull) => {
        const { schema, learn } = createSchema(isFull ? ["x"] : []);
        for (const each of isFull ? known : [...known, text]) await learn(bodyOf(each)).catch(() => undefined);
        if (await compare(schema, bodyOf(text))) plainCount++;
        for (const each of known) await compare(schema, bodyOf(each));
      }),
      { numRuns: sampleSize(300, 10_000) },
    );
    expect(plainCount).toBeGreaterThan(20);
  });
  it.each([
    [
      "scalars and records",
      '[{"id":"1","t":"x","a":1,"m":{"b":"y","d":3,"c":{"f":1.5,"g":true}}},{"t":"z","message":"hi"}]',
    ],
    ["white space", '\n[ { "a" : 1 , "m" : { "b" : "y" } } , { } ]\n'],
    ["one event", '{"a":1,"timestamp":"2026-08-20T09:00:00.123456Z"}'],
    ["escapes", '[{"message":"say \\"hi\\"\\n","a":"\\u00e9\\ud83d","m":{"b":"\\/"}}]'],
    ["text beyond ASCII", '[{"t":"\u00e9","a":"\u{1f600}","m":{"b":"\u4e2d"}}]'],
    ["nulls and empty values", '[{"a":null,"m":{"b":"","c":{},"f":[],"i":1}},{"m":{"b":null}}]'],
    ["lists of scalars and of objects", '[{"a":[1,2],"m":{"b":["x"],"c":[{"f":1},{"f":2}]},"o":[{"p":1}]}]'],
    ["top-level values without a column that holds them whole", '[{"a":1.5,"b":[1],"f":2.5e3}]'],
    ["fields in another order than before", '[{"a":1,"b":2,"f":3,"g":4,"h":5},{"h":1,"a":2},{"g":1,"f":2,"b":3}]'],
    ["numbers as times", '[{"timestamp":1790000000123,"a":1},{"timestamp":1790000000123456}]'],
  ])("is not parsed for %s", async (_what, text) => {
    expect(await isPlain(text)).toBe(true);
  });

  it.each([
    ["two spellings of a field", '[{"m":{"a":1}},{"m":{"A":1}}]'],
    ["a name that is stored otherwise", '[{"a-b":1}]'],
    ["a field twice", '[{"a":1,"a":2}]'],
    ["a value that does not fit its declared type", '[{"m":{"d":"x"}}]'],
    ["both names of the message", '[{"message":"a","event_message":"b"}]'],
    ["a time that cannot be read", '[{"timestamp":"soon"}]'],
    ["an integer beyond 64 bits", '[{"a":123456789012345678901}]'],
  ])("is parsed for %s", async (_what, text) => {
    expect(await isPlain(text)).toBe(false);
  });

  it.each([
    ["an event that is none", "[1]"],
    ["an unfinished list", '[{"a":1}'],
    ["something behind the list", '[{"a":1}] x'],
    ["a batch", '{"batch":[{"a":1}]}'],
    ["a control character in a string", '[{"a":"\u0001"}]'],
    ["a trailing comma", '[{"a":1},]'],
    ["an event with too many values", `[{"a":[${"1,".repeat(6_000)}1]}]`],
  ])("is left to be parsed whole: %s", async (_what, text) => {
    const { schema, learn } = createSchema();
    await learn(bodyOf('[{"a":1}]'));
    expect(await compare(schema, bodyOf(text))).toBe(false);
  });

  it("is left to be parsed whole where it is not UTF-8, has too many events, or more is asked about its events", async () => {
    const { schema, learn } = createSchema();
    const text = '[{"a":"x"},{"a":"y"}]';
    await learn(bodyOf(text));
    const bytes = new TextEncoder().encode(text);
    expect(await compare(schema, bodyOf(bytes))).toBe(true);
    bytes[7] = 0xff;
    expect(await compare(schema, bodyOf(bytes))).toBe(false);
    expect(await compare(schema, bodyOf(text, { maxEvents: 2 }))).toBe(true);
    const tooMany = (await readPlainBody(bodyOf(text, { maxEvents: 1 }))) ?? expect.unreachable();
    expect(encoder.encodePlain(schema, tooMany)).toBeUndefined();
    for (const more of [
      { wantsKeys: true },
      { measure: {} },
      { hops: ["a"] },
      { protocol: "loki" },
      { contentType: "application/x-ndjson" },
    ]) {
      expect(await readPlainBody(bodyOf(text, more))).toBeUndefined();
    }
  });

  it("leaves events of a tenant with all its fields to the walk over parsed ones", async () => {
    const { schema, learn } = createSchema(["x"]);
    const text = '[{"t":"x","a":1,"m":{"b":1}},{"t":"y","a":1,"m":{"b":1}}]';
    await learn(bodyOf(text));
    expect(await compare(schema, bodyOf(text))).toBe(true);
  });

  it.each([
    ['{"http.status":200}', true],
    [' {"a":1,"A":2} ', true],
    ['{"batch":{"a":1}}', true],
    ['{"batch":[{"a":1}],"http.status":200}', false],
    ['{"http.status":200}{"a":1}', false],
    ['{"http.status":200', false],
  ])("parses an event by itself that is a body: %s", async (text, isRead) => {
    const { schema, learn } = createSchema();
    await learn(bodyOf('[{"http.status":200,"a":1,"A":2,"batch":{"a":1}}]'));
    const body = (await readPlainBody(bodyOf(text))) ?? expect.unreachable();
    expect(encoder.encodePlain(schema, body) !== undefined).toBe(isRead);
    if (isRead) expect(await compare(schema, bodyOf(text))).toBe(true);
  });

  it("makes the fields that events bring, and not all others of their source", async () => {
    const { schema, learn } = createSchema();
    const names = Array.from({ length: 500 }, (_, index) => `f${index}`);
    await learn(bodyOf(JSON.stringify([Object.fromEntries(names.map((each, index) => [each, index]))])));
    const sink = new BatchBuilder();
    const column = vi.spyOn(sink, "column");
    const { root } = createPlainTree(schema.tree, sink);
    for (const each of ["f7", "f499", "f7", "unknown"]) root.childOf(each, () => true);
    expect(new Set(column.mock.calls.map(([each]) => each)).size).toBeLessThan(5);
  });
});
