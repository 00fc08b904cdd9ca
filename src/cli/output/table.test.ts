import { expect, it } from "vitest";
import { formatTable } from "./table.ts";

it("a row of a table is one line, whatever its values are", () => {
  const rows = [
    ["a\r\nb", "one"],
    ["c\td", "two\nFORGED  row"],
  ];
  expect(formatTable(["NAME", "TEXT"], rows).split("\n")).toEqual(["NAME  TEXT", "a b   one", "c d   two FORGED  row"]);
});
