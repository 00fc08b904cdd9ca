import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parseQuery } from "../../googlesql/parse.ts";
import { EndpointHeader } from "./header.ts";
import { parseEndpointFile } from "./parse-endpoint.ts";

const page = readFileSync("docs/endpoints.md", "utf8");

it("the example in docs/endpoints.md is a valid endpoint file", () => {
  const [, text = ""] = /```sql\n([\s\S]*?)```/.exec(page) ?? [];
  expect(parseEndpointFile(text, "errors.by-path.sql")).toMatchObject({
    definition: { name: "errors.by-path", maxRows: 200 },
  });
  expect(parseQuery(text).with?.entries).toHaveLength(1);
});

it("docs/endpoints.md has a row for each key of the header", () => {
  const [table = ""] = /^\| `id` \|.*(?:\n\|.*)*/m.exec(page) ?? [];
  const rows = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, key]) => key);
  expect(rows).toEqual(Object.keys(EndpointHeader.properties));
});
