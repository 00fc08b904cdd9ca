import { expect, it } from "vitest";
import type { LogEvent } from "../../contract/query-engine.ts";
import { encodeBlock, encodeRows, NativeRows } from "./native-rows.ts";

function event(id: string, timestampUs: bigint, eventMessage: string | null = null): LogEvent {
  return { id, hasGeneratedId: false, timestampUs, eventMessage, fields: {} };
}

/** Little-endian, as the server reads it. */
const int64 = (...values: bigint[]) => Buffer.from(new BigInt64Array(values).buffer).toString("hex");
const text = (value: string) =>
  Buffer.concat([Buffer.from([Buffer.byteLength(value)]), Buffer.from(value)]).toString("hex");
const column = (name: string, type: string, ...data: string[]) => text(name) + text(type) + data.join("");

it("encodeBlock writes one column after another, with the server's own value for a missing one", () => {
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

it("encodeBlock puts the selected rows of several appends into one block in order", () => {
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

it("encodeBlock and encodeRows write long texts like short ones, in selected rows and as tenants", () => {
  const texts = ["x".repeat(64), "y".repeat(65), `${"é".repeat(40)}z`, "\u{1f600}".repeat(70), "w".repeat(20_000)];
  const written = (value: string) => {
    const { length } = Buffer.from(value);
    const size = length < 128 ? [length] : length < 16_384 ? [(length % 128) | 128, length >> 7] : [];
    const prefix = size.length > 0 ? size : [(length % 128) | 128, ((length >> 7) % 128) | 128, length >> 14];
    return Buffer.concat([Buffer.from(prefix), Buffer.from(value)]).toString("hex");
  };
  const [first, second] = [new NativeRows(), new NativeRows()];
  for (const rows of [first, second])
    for (const each of texts) rows.put(rows.addRow(event(each, 1n)), "c1", "STRING", each);
  const { body } = encodeBlock(
    [
      { rows: first, picked: [0, 2, 3] },
      { rows: second, picked: [1, 4] },
    ],
    0n,
  );
  const expected = [0, 2, 3, 1, 4].map((index) => written(texts[index] ?? ""));
  const hex = Buffer.from(body).toString("hex");
  expect(hex).toContain(column("id", "String", ...expected));
  expect(hex).toContain(column("c1", "Nullable(String)", "0000000000", ...expected));
  const { bytes, tenants } = encodeRows(first, "c1");
  expect(Buffer.from(bytes).toString("hex")).toContain(
    column("c1", "Nullable(String)", "0000000000", ...texts.map(written)),
  );
  expect(tenants).toEqual(texts);
});
