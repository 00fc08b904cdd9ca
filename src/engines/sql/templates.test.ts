import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseAst } from "vitest/node";
import { spelling as serverSpelling } from "../clickhouse/sql/spelling.ts";
import { sql as serverSql } from "../clickhouse/sql/sql.ts";
import { spelling as embeddedSpelling } from "../duckdb/sql/spelling.ts";
import { sql as embeddedSql } from "../duckdb/sql/sql.ts";
import { createStatements } from "./emit.ts";
import { column, name } from "./node.ts";
import { sql as commonSql } from "./template.ts";

const rooms = [
  { room: "src/engines/duckdb", sql: embeddedSql, spelling: embeddedSpelling, least: 400 },
  { room: "src/engines/clickhouse", sql: serverSql, spelling: serverSpelling, least: 400 },
  { room: "src/engines/sql", sql: commonSql, spelling: serverSpelling, least: 20 },
] as const;

function filesOf(...folders: readonly string[]): readonly string[] {
  return execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", ...folders], {
    encoding: "utf8",
  })
    .split("\n")
    .filter((file) => file.endsWith(".ts") && !/\.(?:test|long)\.ts$/.test(file));
}

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

describe.each(rooms)("templates of $room", ({ room, sql, spelling, least }) => {
  it("each reads as SQL, and prints what stands in it", () => {
    const statements = createStatements(spelling, (root) => root);
    const found = filesOf(room).flatMap((file) => templatesOf(parseAst(readFileSync(file, "utf8"), { lang: "ts" })));
    expect(found.length).toBeGreaterThan(least);
    for (const strings of found) {
      // What is called has to be a name, and what stands elsewhere may be one.
      const parts = strings.slice(1).map((after) => (after.startsWith("(") ? name("lw_hole") : column("lw_hole")));
      const node = sql(Object.assign([...strings], { raw: strings }), ...parts);
      const text = strings.join("lw_hole").replaceAll(/^\n\s*|\n\s*$/g, "");
      expect(statements.emit(statements.guarded(node), (number) => number)).toBe(text.replaceAll(/\s*\n\s*/g, " "));
    }
  });
});

it("only the rooms of SQL create its nodes", () => {
  const making = filesOf("src/engines").filter(
    (file) => !/\/sql\/[^/]+$/.test(file) && /\bnew Sql\(/.test(readFileSync(file, "utf8")),
  );
  expect(making).toEqual([]);
});
