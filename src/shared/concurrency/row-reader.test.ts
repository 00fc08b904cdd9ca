import { expect, it } from "vitest";
import { createRowReader } from "./row-reader.ts";

it("rows that are as they were keep their values, and one without a value is left out and asked for once", async () => {
  const parsed: string[] = [];
  const read = createRowReader(({ id, text }: { readonly id: string; readonly text: string }) => {
    parsed.push(id);
    return text === "" ? undefined : { text };
  });
  const rows = [
    { id: "a", text: "1" },
    { id: "b", text: "" },
    { id: "c", text: "3" },
  ];
  const before = await read(rows);
  expect(before).toEqual([{ text: "1" }, { text: "3" }]);
  const after = await read([...rows.slice(1).map((row) => ({ ...row })), { id: "a", text: "2" }]);
  expect(after).toEqual([{ text: "3" }, { text: "2" }]);
  expect(after[0]).toBe(before[1]);
  expect(parsed).toEqual(["a", "b", "c", "a"]);
});
