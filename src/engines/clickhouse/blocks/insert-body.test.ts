import fc from "fast-check";
import { expect, it } from "vitest";
import type { LogEvent } from "../../contract/query-engine.ts";
import type { ValueType } from "../../schema/schema-entry.ts";
import { makeInsertBody } from "./insert-body.ts";
import { encodeBlock, encodeRows, NativeRows } from "./native-rows.ts";

function event(id: string, hasGeneratedId = false): LogEvent {
  return { id, hasGeneratedId, timestampUs: BigInt(id.length), eventMessage: id === "" ? null : id, fields: {} };
}

const values: Readonly<Record<string, fc.Arbitrary<readonly [ValueType, string | number | bigint | boolean]>>> = {
  c1: fc.tuple(fc.constant("STRING" as const), fc.string({ maxLength: 200 })),
  c2: fc.tuple(fc.constant("INT64" as const), fc.oneof(fc.maxSafeInteger(), fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n))),
  c3: fc.tuple(fc.constant("FLOAT64" as const), fc.double()),
  c4: fc.tuple(fc.constant("BOOL" as const), fc.boolean()),
  c5: fc.tuple(
    fc.constant("STRING[]" as const),
    fc.array(fc.string(), { minLength: 1, maxLength: 4 }).map((list) => JSON.stringify(list)),
  ),
  c6: fc.tuple(
    fc.constant("INT64[]" as const),
    fc.array(fc.maxSafeInteger(), { minLength: 1, maxLength: 4 }).map((list) => JSON.stringify(list)),
  ),
  p7: fc.tuple(fc.constant("BOOL" as const), fc.constant(true)),
};
const row = fc.record({
  id: fc.string({ maxLength: 300 }),
  isPicked: fc.boolean(),
  values: fc.record(values, { requiredKeys: [] }),
});

it("makeInsertBody encodes rows from another thread exactly like local rows, for any selection of rows", () => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 12 }), (list) => {
      const rows = new NativeRows();
      for (const { id, values: some } of list) {
        const number = rows.addRow(event(id));
        for (const [name, [type, value] = []] of Object.entries(some)) {
          if (type !== undefined && value !== undefined) rows.put(number, name, type, value);
        }
      }
      const picked = list.flatMap(({ isPicked }, number) => (isPicked ? [number] : []));
      const here = encodeBlock([{ rows, picked }], 2n ** 63n);
      const { columns, body } = makeInsertBody([{ rows: encodeRows(rows, undefined), picked }], 2n ** 63n);
      expect(Buffer.concat(body).toString("hex")).toBe(
        picked.length === 0 ? "" : Buffer.from(here.body).toString("hex"),
      );
      if (picked.length > 0) expect(columns).toEqual(here.columns);
    }),
  );
});

it("encodeRows reports the ids, who chose them and the tenants along with the encoded rows", () => {
  const rows = new NativeRows();
  rows.addRow(event("a"));
  rows.put(rows.addRow(event("b", true)), "c1", "STRING", "mine");
  expect(encodeRows(rows, "c1")).toMatchObject({
    ids: ["a", "b"],
    ownIds: [true, false],
    tenants: [null, "mine"],
    rowCount: 2,
    columns: ["id", "timestamp", "event_message", "c1"],
  });
  expect(encodeRows(rows, undefined).tenants).toBeUndefined();
  expect(encodeRows(rows, "c2").tenants).toEqual([null, null]);
});

it("makeInsertBody writes one block after another, and names the columns of all blocks", () => {
  const [here, there, other] = [new NativeRows(), new NativeRows(), new NativeRows()];
  here.put(here.addRow(event("a")), "c1", "BOOL", true);
  there.put(there.addRow(event("b")), "c2", "BOOL", true);
  other.addRow(event("c"));
  const parts = [
    { rows: encodeRows(there, undefined), picked: [0] },
    { rows: here, picked: [0] },
    { rows: encodeRows(other, undefined), picked: [] },
  ];
  const { columns, body } = makeInsertBody(parts, 1n);
  expect(columns).toEqual(["lw_batch", "id", "timestamp", "event_message", "c1", "c2"]);
  const blocks = [encodeBlock([{ rows: here, picked: [0] }], 1n), encodeBlock([{ rows: there, picked: [0] }], 1n)];
  expect(Buffer.concat(body)).toEqual(Buffer.concat(blocks.map((block) => block.body)));
});
