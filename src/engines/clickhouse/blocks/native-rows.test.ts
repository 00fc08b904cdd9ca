import { expect, it } from "vitest";
import type { LogEvent } from "../../contract/query-engine.ts";
import { encodeBlock, NativeRows } from "./native-rows.ts";

function event(id: string, timestampUs: bigint, eventMessage: string | null = null): LogEvent {
  return { id, hasGeneratedId: false, timestampUs, eventMessage, fields: {} };
}

/** Little-endian, as the server reads it. */
const int64 = (...values: bigint[]) => Buffer.from(new BigInt64Array(values).buffer).toString("hex");
const text = (value: string) =>
  Buffer.concat([Buffer.from([Buffer.byteLength(value)]), Buffer.from(value)]).toString("hex");
const column = (name: string, type: string, ...data: string[]) => text(name) + text(type) + data.join("");

it("writes columns one after the other, with what is missing as the server has it missing", () => {
  const rows = new NativeRows();
  const first = rows.addRow(event("a", -1n, "hé"));
  rows.put(first, "c1", "INT64[]", "[9007199254740993,-1]");
  rows.put(first, "c1", "INT64[]", "[5]");
  rows.put(first, "p2", "BOOL", true);
  const second = rows.addRow(event("b", 2n ** 62n));
  rows.put(second, "c3", "INT64", 7);
  const { columns, body, rowCount } = encodeBlock([{ rows, picked: [0, 1] }], 5n);
  expect(rowCount).toBe(2);
  expect(columns).toEqual(["lw_batch", "id", "timestamp", "event_message", "c1", "p2", "c3"]);
  expect(Buffer.from(body).toString("hex")).toBe(
    [
      "0702",
      column("lw_batch", "UInt64", int64(5n, 5n)),
      column("id", "String", text("a"), text("b")),
      column("timestamp", "Int64", int64(-1n, 2n ** 62n)),
      column("event_message", "Nullable(String)", "0001", text("hé"), text("")),
      column("c1", "Array(Int64)", int64(2n, 2n), int64(9_007_199_254_740_993n, -1n)),
      column("p2", "Bool", "0100"),
      column("c3", "Nullable(Int64)", "0100", int64(0n, 7n)),
    ].join(""),
  );
});

it("puts the picked rows of several appends into one block, in their order", () => {
  const [one, two] = [new NativeRows(), new NativeRows()];
  for (const id of ["a", "b", "c"]) one.addRow(event(id, 1n));
  two.put(two.addRow(event("d", 2n)), "c1", "BOOL", true);
  const { body, rowCount } = encodeBlock(
    [
      { rows: one, picked: [0, 2] },
      { rows: two, picked: [0] },
    ],
    0n,
  );
  const hex = Buffer.from(body).toString("hex");
  expect(rowCount).toBe(3);
  expect(hex).toContain(column("id", "String", text("a"), text("c"), text("d")));
  expect(hex).toContain(column("c1", "Nullable(Bool)", "010100", "000001"));
});
