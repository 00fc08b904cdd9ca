import { expect, it } from "vitest";
import type { RecordType, SqlType } from "../googlesql/types.ts";
import { listFields } from "./list-fields.ts";

const record = (fields: RecordType["fields"], isRepeated = false): SqlType => ({
  kind: "ARRAY",
  element: { kind: "RECORD", fields, isRepeated, isOpen: false },
});

it("listFields returns a source's fields by path, with GoogleSQL types", () => {
  const request = record([
    { name: "path", type: { kind: "STRING" } },
    { name: "codes", type: { kind: "ARRAY", element: { kind: "INT64" } } },
  ]);
  const columns = [
    { name: "timestamp", type: { kind: "TIMESTAMP" } as const },
    {
      name: "metadata",
      type: record(
        [
          { name: "request", type: request },
          { name: "n", type: { kind: "FLOAT64" } },
        ],
        true,
      ),
    },
  ];
  expect(listFields({ name: "edge", columns })).toEqual([
    { path: "timestamp", type: "TIMESTAMP" },
    { path: "metadata.request.path", type: "STRING" },
    { path: "metadata.request.codes", type: "ARRAY<INT64>" },
    { path: "metadata.n", type: "FLOAT64" },
  ]);
});
