import { describe, expect, it } from "vitest";
import { expressionTreeOf, parseExpressionText, treeOf, withoutSpans } from "../../../test/support/googlesql/tree.ts";
import type { Query, Select, TableExpression } from "../ast.ts";
import { parseQuery } from "../parse.ts";

function selectOf(text: string): Select {
  const { body } = parseQuery(text);
  if (body.kind !== "Select") throw new TypeError("not a SELECT");
  return body;
}

/** Joins as text: `((a JOIN b) CROSS c)`. */
function joinShape(table: TableExpression | undefined): string {
  if (table?.kind === "Join") {
    const condition = table.on?.kind === "Identifier" ? ` ON ${table.on.name}` : "";
    return `(${joinShape(table.left)} ${table.type} ${joinShape(table.right)}${condition})`;
  }
  if (table?.kind === "ParenthesizedJoin") return `[${joinShape(table.join)}]`;
  return table?.kind === "TableReference" ? table.path.parts.map((part) => part.name).join("/") : String(table?.kind);
}

function fromShape(text: string): string {
  return joinShape(selectOf(`SELECT 1 FROM ${text}`).from);
}

function kindOfQuery(query: Query): string {
  return query.body.kind;
}

describe("the parser, reading expressions,", () => {
  it("reads a path as field accesses, and a path before parentheses as a function's name", () => {
    expect(expressionTreeOf("a.b")).toMatchObject({ kind: "FieldAccess", base: { name: "a" }, field: { name: "b" } });
    expect(expressionTreeOf("a.b.c(1)")).toMatchObject({
      kind: "FunctionCall",
      isSafe: false,
      name: { parts: [{ name: "a" }, { name: "b" }, { name: "c" }] },
    });
  });

  it("distinguishes the prefix SAFE. from a quoted name", () => {
    expect(expressionTreeOf("safe.f(1)")).toMatchObject({ isSafe: true, name: { parts: [{ name: "f" }] } });
    expect(expressionTreeOf("`safe`.f(1)")).toMatchObject({
      isSafe: false,
      name: { parts: [{ name: "safe" }, { name: "f" }] },
    });
  });

  it("passes the receiver of a chained call as its first argument", () => {
    expect(expressionTreeOf("(a).f(1)")).toMatchObject({
      kind: "FunctionCall",
      isChained: true,
      name: { parts: [{ name: "f" }] },
      arguments: [{ value: { name: "a" } }, { value: { text: "1" } }],
    });
    expect(expressionTreeOf("a[0].f()")).toMatchObject({
      isChained: true,
      arguments: [{ value: { kind: "Subscript" } }],
    });
    expect(expressionTreeOf("x IN (1).f()")).toMatchObject({ isChained: true, arguments: [{ value: { kind: "In" } }] });
  });

  it.each(["OFFSET", "SAFE_OFFSET", "ORDINAL", "SAFE_ORDINAL", "KEY", "SAFE_KEY"])(
    "reads [%s(i)] as an access mode of the subscript",
    (mode) => {
      expect(expressionTreeOf(`a[${mode.toLowerCase()}(i)]`)).toMatchObject({
        kind: "Subscript",
        mode,
        index: { name: "i" },
      });
    },
  );

  it("reads any other subscript as a plain one", () => {
    for (const index of ["i", "f(i)", "`offset`(i)", "offset(i, j)", "x.offset(i)"]) {
      expect(expressionTreeOf(`a[${index}]`)).toMatchObject({ kind: "Subscript", mode: "PLAIN" });
    }
  });

  it("flattens chains of AND and OR, but not parenthesised operands", () => {
    expect(expressionTreeOf("a AND b AND c")).toMatchObject({ operator: "AND", operands: [{}, {}, {}] });
    expect(expressionTreeOf("(a OR b) OR c")).toMatchObject({
      operator: "OR",
      operands: [{ operator: "OR" }, { name: "c" }],
    });
  });

  it("joins adjacent literals and applies their escapes", () => {
    expect(expressionTreeOf("'a\\n' r'\\n'")).toEqual({ kind: "StringLiteral", value: "a\n\\n" });
    expect(expressionTreeOf("b'\\x01' b'b'")).toEqual({ kind: "BytesLiteral", value: Uint8Array.of(1, 98) });
  });

  it("keeps the text of an integer, since its range depends on its sign", () => {
    expect(expressionTreeOf("-9223372036854775808")).toMatchObject({
      operator: "-",
      operand: { kind: "IntLiteral", text: "9223372036854775808" },
    });
  });

  it("distinguishes tuples from STRUCT()", () => {
    expect(expressionTreeOf("(a, b)")).toMatchObject({ kind: "StructConstructor", isTuple: true });
    expect(expressionTreeOf("STRUCT(a, b)")).not.toHaveProperty("isTuple");
  });

  it("numbers positional parameters in text order", () => {
    const positions = [
      ...JSON.stringify(treeOf("SELECT ?, f(?) FROM t WHERE x = ? LIMIT ?")).matchAll(/"position":(\d)/g),
    ];
    expect(positions.map(([, position]) => position)).toEqual(["1", "2", "3", "4"]);
  });

  it("reads CURRENT_DATE and its like as calls, unless they are quoted or fields", () => {
    expect(expressionTreeOf("current_date")).toEqual(expressionTreeOf("current_date()"));
    expect(expressionTreeOf("`current_date`")).toMatchObject({ kind: "Identifier" });
    expect(expressionTreeOf("t.current_date")).toMatchObject({ kind: "FieldAccess" });
  });

  it("reads ::type as a cast", () => {
    expect(expressionTreeOf("a.b::NUMERIC(5)")).toEqual(expressionTreeOf("CAST(a.b AS NUMERIC(5))"));
  });

  it("distinguishes a list from a query after IN, and a scalar query from a set after LIKE ANY", () => {
    expect(expressionTreeOf("a IN ((SELECT 1))")).toMatchObject({ set: { kind: "QuerySet" } });
    expect(expressionTreeOf("a IN ((SELECT 1) UNION ALL (SELECT 2))")).toMatchObject({ set: { kind: "QuerySet" } });
    expect(expressionTreeOf("a IN ((SELECT 1) + 1)")).toMatchObject({
      set: { kind: "List", items: [{ operator: "+" }] },
    });
    expect(expressionTreeOf("a LIKE ANY (SELECT 1)")).toMatchObject({ pattern: { set: { kind: "QuerySet" } } });
    expect(expressionTreeOf("a LIKE ANY ((SELECT 1))")).toMatchObject({ pattern: { set: { kind: "List" } } });
  });

  it("excludes surrounding white space from spans", () => {
    const text = "SELECT  a + f( b )  FROM t";
    const [item] = selectOf(text).items;
    expect(text.slice(item?.span.start, item?.span.end)).toBe("a + f( b )");
  });

  it("reads a parenthesised expression like the expression alone", () => {
    expect(withoutSpans(parseExpressionText("((((a)))) + (b)"))).toEqual(expressionTreeOf("a + b"));
  });
});

describe("the parser, reading FROM,", () => {
  it.each([
    ["a JOIN b JOIN c ON x", "((a INNER b) INNER c ON x)"],
    ["a, b JOIN c ON x, d", "(((a COMMA b) INNER c ON x) COMMA d)"],
    ["a JOIN b JOIN c ON x ON y", "(a INNER (b INNER c ON x) ON y)"],
    ["a JOIN b CROSS JOIN c JOIN d ON x ON y", "(a INNER ((b CROSS c) INNER d ON x) ON y)"],
    [
      "a JOIN b JOIN c JOIN d ON w ON x JOIN e ON y ON z",
      "(a INNER ((b INNER (c INNER d ON w) ON x) INNER e ON y) ON z)",
    ],
    ["(a JOIN b ON x) LEFT JOIN c ON y", "([(a INNER b ON x)] LEFT c ON y)"],
    ["my-project.data.t", "my-project/data/t"],
    ["a-1.b, c-2-d", "(a-1/b COMMA c-2-d)"],
    ["`a.b`.c", "a.b/c"],
  ])("nests the joins of %s", (text, shape) => {
    expect(fromShape(text)).toBe(shape);
  });

  it("distinguishes PIVOT, UNPIVOT and QUALIFY from aliases by what follows them", () => {
    expect(selectOf("SELECT 1 FROM t PIVOT(SUM(a) FOR b IN (1))").from).toMatchObject({
      suffixes: [{ kind: "Pivot" }],
    });
    expect(selectOf("SELECT 1 FROM t pivot WHERE x").from).toMatchObject({ alias: { name: "pivot" }, suffixes: [] });
    expect(selectOf("SELECT 1 FROM t unpivot").from).toMatchObject({ alias: { name: "unpivot" } });
    expect(selectOf("SELECT 1 FROM t QUALIFY SUM(x) OVER () > 1").qualify).toMatchObject({ operator: ">" });
    expect(selectOf("SELECT 1 FROM t qualify GROUP BY y").from).toMatchObject({ alias: { name: "qualify" } });
  });

  it("distinguishes a parenthesised query from a parenthesised join of queries", () => {
    expect(fromShape("((SELECT 1))")).toBe("TableSubquery");
    expect(fromShape("((SELECT 1) UNION ALL (SELECT 2))")).toBe("TableSubquery");
    expect(fromShape("((SELECT 1) JOIN (SELECT 2))")).toBe("[(TableSubquery INNER TableSubquery)]");
    expect(fromShape("((SELECT 1) AS a LEFT JOIN b ON x)")).toBe("[(TableSubquery LEFT b ON x)]");
    expect(fromShape("((SELECT 1) LEFT UNION ALL BY NAME (SELECT 2))")).toBe("TableSubquery");
  });
});

describe("the parser, reading queries,", () => {
  it("drops redundant parentheses only", () => {
    expect(treeOf("((SELECT 1))")).toEqual(treeOf("SELECT 1"));
    expect(kindOfQuery(parseQuery("(SELECT 1 LIMIT 1) LIMIT 2"))).toBe("Query");
    expect(kindOfQuery(parseQuery("(SELECT 1) |> WHERE x"))).toBe("Query");
  });

  it("reads TABLE t as FROM t and an alias of a query as |> AS", () => {
    expect(treeOf("TABLE t")).toEqual(treeOf("FROM t"));
    expect(treeOf("TABLE t WHERE x")).toEqual(treeOf("FROM t |> WHERE x"));
    expect(treeOf("(SELECT 1) AS t")).toEqual(treeOf("SELECT 1 |> AS t"));
  });

  it("collects all inputs of a chain of set operations in one node", () => {
    expect(parseQuery("SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3").body).toMatchObject({
      kind: "SetOperation",
      mode: { operator: "UNION", isAll: true },
      inputs: [{}, {}, {}],
    });
  });

  it("reads CORRESPONDING as INNER ... BY NAME", () => {
    const names = "SELECT 1 AS a INNER UNION ALL BY NAME ON (a) SELECT 2 AS a";
    expect(treeOf(names.replace("INNER ", "").replace("BY NAME ON", "CORRESPONDING BY"))).toEqual(treeOf(names));
  });

  it("reads the tuples of grouping sets as lists of columns", () => {
    const groupBy = selectOf("SELECT 1 GROUP BY ROLLUP (a, (b, c)), GROUPING SETS ((), (d, e), f)").groupBy;
    expect(groupBy?.items).toMatchObject([
      { kind: "Rollup", entries: [[{ name: "a" }], [{ name: "b" }, { name: "c" }]] },
      {
        kind: "GroupingSets",
        sets: [{ expressions: [] }, { expressions: [{}, {}] }, { expressions: [{ name: "f" }] }],
      },
    ]);
  });

  it("accepts trailing commas in SELECT lists and pipe operators", () => {
    expect(treeOf("SELECT a, FROM t")).toEqual(treeOf("SELECT a FROM t"));
    expect(treeOf("FROM t |> EXTEND a, |> ORDER BY b, |> DROP c,")).toEqual(
      treeOf("FROM t |> EXTEND a |> ORDER BY b |> DROP c"),
    );
  });

  it("reads a chained call on a parenthesised number", () => {
    expect(treeOf("SELECT (1).f()")).toEqual(treeOf("SELECT ((1)).f()"));
  });

  it("ignores the case of keywords and preserves the case of names", () => {
    expect(treeOf("select A from T where B is not null")).toEqual(treeOf("SELECT A FROM T WHERE B IS NOT NULL"));
    expect(treeOf("SELECT a")).not.toEqual(treeOf("SELECT A"));
  });
});
