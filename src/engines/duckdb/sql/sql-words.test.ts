import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parseAst } from "vitest/node";

const ROOM = "src/engines/duckdb";
/** The file with the constructors of SQL that contains a query, a lambda or TRY. */
const CONSTRUCTORS = `${ROOM}/sql/forms.ts`;
const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", ROOM], {
  encoding: "utf8",
})
  .split("\n")
  .filter(
    (file) => /\/(?:functions|compile|sql)\/.*\.ts$/.test(file) && !/\.(?:test|long)\.ts$|\/testing\//.test(file),
  );

interface Node {
  readonly type?: string;
  readonly tag?: { readonly name?: string };
  readonly callee?: { readonly name?: string };
  readonly quasi?: Template;
  readonly arguments?: readonly (Node & Template & { readonly value?: unknown })[];
}

interface Template {
  readonly quasis?: readonly { readonly value: { readonly cooked: string | null } }[];
}

/** Tags and functions whose text becomes SQL unchanged. */
const TAGS: ReadonlySet<string> = new Set(["sql", "constant"]);
const NAMING: ReadonlySet<string> = new Set(["nameSql", "callSql", "variableSql", "columnOf"]);

function textOf({ quasis = [] }: Template): string {
  return quasis.map(({ value }) => value.cooked ?? "").join(" \u2026 ");
}

/** The texts of a file that become SQL unchanged. */
function ownTexts(node: unknown): readonly string[] {
  if (typeof node !== "object" || node === null) return [];
  const { type, tag, callee, quasi, arguments: args = [] } = node as Node;
  const isTagged = type === "TaggedTemplateExpression" && TAGS.has(tag?.name ?? "");
  const isNamed = type === "CallExpression" && NAMING.has(callee?.name ?? "");
  const own = isTagged && quasi !== undefined ? [textOf(quasi)] : [];
  const named = isNamed ? args.map((arg) => (typeof arg.value === "string" ? arg.value : textOf(arg))) : [];
  return [...own, ...named, ...Object.values(node).flatMap(ownTexts)];
}

/** SELECT, lambda and TRY outside of the literals of a text. */
function factWords(text: string): readonly string[] {
  const bare = text.replaceAll(/'[^']*'|"[^"]*"/g, "''");
  return [...bare.matchAll(/\b(?:SELECT|lambda)\b|\bTRY\s*\(|^TRY$/gi)].map(([word]) => word);
}

function findWords(source: string): readonly string[] {
  return ownTexts(parseAst(source, { lang: "ts" })).filter((text) => factWords(text).length > 0);
}

/** The source with `${x}` in place of each `@`. */
function withHoles(source: string): string {
  return source.replaceAll("@", "$\u007bx}");
}

it("findWords finds SELECT, lambda and TRY wherever a text becomes SQL unchanged", () => {
  for (const source of [
    "sql`(SELECT 1)`",
    "sql`f(@, lambda lw_x: @)`",
    "sql`TRY(@)`",
    'callSql("TRY", args)',
    "constant`(select 1)`",
    "f(() => [sql`lambda x: 1`])",
  ])
    expect([source, findWords(withHoles(source)).length]).toEqual([source, 1]);
  for (const source of ["sql`TRY_CAST(@ AS DATE)`", "sql`concat('SELECT', @)`", "raiseText('SELECT')", "sql`c_lambda`"])
    expect([source, findWords(withHoles(source))]).toEqual([source, []]);
});

it("only the constructors of SQL write SELECT, lambda or TRY", () => {
  const found = files
    .filter((file) => file !== CONSTRUCTORS)
    .flatMap((file) => findWords(readFileSync(file, "utf8")).map((text) => `${file}: ${text}`));
  expect(found).toEqual([]);
});

it("only src/engines/duckdb/sql creates Sql objects", () => {
  const making = files.filter(
    (file) => !file.startsWith(`${ROOM}/sql/`) && /\bnew Sql\(/.test(readFileSync(file, "utf8")),
  );
  expect(making).toEqual([]);
});
