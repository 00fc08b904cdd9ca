import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parseAst } from "vitest/node";
import { printSql } from "../../../../test/support/engines/duckdb/sql/printed-sql.ts";
import { column, name } from "../../sql/node.ts";
import { sql } from "./sql.ts";

const ROOM = "src/engines/duckdb";
const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", ROOM, "src/engines/sql"], {
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => file.endsWith(".ts") && !/\.(?:test|long)\.ts$/.test(file));

interface Node {
  readonly type?: string;
  readonly tag?: { readonly name?: string };
  readonly quasi?: { readonly quasis: readonly { readonly value: { readonly cooked: string } }[] };
}

/** The texts of each template of a file, between its holes. */
function templatesOf(node: unknown): readonly (readonly string[])[] {
  if (typeof node !== "object" || node === null) return [];
  const { type, tag, quasi } = node as Node;
  const isTagged = type === "TaggedTemplateExpression" && ["sql", "constant"].includes(tag?.name ?? "");
  const own = isTagged && quasi !== undefined ? [quasi.quasis.map(({ value }) => value.cooked)] : [];
  return [...own, ...Object.values(node).flatMap(templatesOf)];
}

it("each template of the room reads as SQL, and prints what stands in it", () => {
  const found = files.flatMap((file) => templatesOf(parseAst(readFileSync(file, "utf8"), { lang: "ts" })));
  expect(found.length).toBeGreaterThan(500);
  for (const strings of found) {
    // What is called has to be a name, and what stands elsewhere may be one.
    const parts = strings.slice(1).map((after) => (after.startsWith("(") ? name("lw_hole") : column("lw_hole")));
    const node = sql(Object.assign([...strings], { raw: strings }), ...parts);
    const text = strings.join("lw_hole").replaceAll(/^\n\s*|\n\s*$/g, "");
    expect(printSql(node)).toBe(text.replaceAll(/\s*\n\s*/g, " "));
  }
});

it("only the rooms of SQL create its nodes", () => {
  const making = files.filter(
    (file) => !/\/(?:duckdb\/)?sql\/[^/]+$/.test(file) && /\bnew Sql\(/.test(readFileSync(file, "utf8")),
  );
  expect(making).toEqual([]);
});
