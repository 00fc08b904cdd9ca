import { describe, expect, it } from "vitest";
import { printQuery } from "../../../../test/support/googlesql/print-query.ts";
import { dumpQuery } from "../../../../test/support/googlesql/resolver/dump.ts";
import { TABLES } from "../../../../test/support/googlesql/resolver/resolved.ts";
import type { Query } from "../../ast.ts";
import { parseQuery } from "../../parse.ts";
import { arrayOf, type RecordField, type SqlType, STRING } from "../../types.ts";
import { resolveQuery } from "../resolve.ts";

const text = (path: string, condition: string) => `SELECT id FROM logs WHERE ${condition.replaceAll("$", path)}`;

/** The query whose WHERE clause is the condition on any value of the path. */
function anyOf(path: string, condition: string): Query {
  const query = parseQuery(text(path, condition));
  const read = parseQuery(`SELECT ${path}`).body;
  const item = read.kind === "Select" ? read.items[0] : undefined;
  if (query.body.kind !== "Select" || query.body.where === undefined) throw new Error("no condition");
  if (item?.kind !== "SelectExpression") throw new Error("no path");
  const { where } = query.body;
  const isNullTest = condition.endsWith("IS NULL");
  const any = { kind: "AnyElement", path: item.expression, condition: where, isNullTest, span: where.span } as const;
  return { ...query, body: { ...query.body, where: any } };
}

const dump = (path: string, condition: string) =>
  dumpQuery(resolveQuery(anyOf(path, condition), text(path, condition), { tables: TABLES }));

describe("a condition on any value of a path", () => {
  it.each([
    ["metadata.request.headers.host", "$ = 'a'"],
    ["metadata.request.path", "$ IS NULL"],
    ["metadata.tags", "'a' IN UNNEST($)"],
    ["metadata.spans", "$ IS NULL"],
    ["id", "$ = 'a'"],
    ["metadata.nope.deeper", "$ = 'a'"],
  ])("is the plain condition where the path %s crosses no list", (path, condition) => {
    const plain = text(path, condition);
    expect(dump(path, condition)).toBe(dumpQuery(resolveQuery(parseQuery(plain), plain, { tables: TABLES })));
  });

  it("warns when a single value is compared with a whole list, and suggests :@>", () => {
    const warnings = (path: string, condition: string) =>
      resolveQuery(anyOf(path, condition), text(path, condition), { tables: TABLES }).warnings ?? [];
    const [warning] = warnings("metadata.tags", "SAFE_CAST($ AS STRING) = 'a'");
    expect(warning?.message).toBe(
      "metadata.tags is a list, which no single value equals; :@> asks for one of its elements",
    );
    expect(warnings("metadata.tags", "EXISTS(SELECT 1 FROM UNNEST($) AS item WHERE item = 'a')")).toEqual([]);
    expect(warnings("metadata.tags", "$ IS NULL")).toEqual([]);
    expect(warnings("id", "$ = 'a'")).toEqual([]);
  });

  it("holds if any element of a list meets it", () => {
    expect(dump("metadata.spans.name", "$ = 'a'")).toMatchInlineSnapshot(`
      "select id=id#1:STRING
        filter exists(filter $equal(element#5->name, "a") < unnest metadata#4->spans as element#5)
          table logs(id#1, timestamp#2, event_message#3, metadata#4)"
    `);
  });

  it("holds for IS NULL only if every element is NULL", () => {
    expect(dump("metadata.spans.ms", "$ IS NULL")).toMatchInlineSnapshot(`
      "select id=id#1:STRING
        filter $not(exists(filter $not($is_null(element#5->ms)) < unnest metadata#4->spans as element#5))
          table logs(id#1, timestamp#2, event_message#3, metadata#4)"
    `);
  });

  it("prints as the condition itself", () => {
    expect(printQuery(anyOf("metadata.spans.ms", "$ = 1 OR $ = 2"))).toBe(
      printQuery(parseQuery(text("metadata.spans.ms", "$ = 1 OR $ = 2"))),
    );
  });

  it.each(["metadata.request", "metadata.spans", "metadata"])(
    "accepts %s, which events showed to be an object",
    (path) => {
      expect(() => dump(path, "$ = 'a'")).not.toThrow();
    },
  );

  it("is rejected for an object that the source declares", () => {
    const field = (name: string, type: SqlType, isDeclared: boolean): RecordField => ({ name, type, isDeclared });
    const record = (...fields: RecordField[]): SqlType =>
      arrayOf({ kind: "RECORD", fields, isRepeated: false, isOpen: false });
    const request = record(field("path", STRING, true), field("other", record(field("k", STRING, false)), false));
    const table = {
      name: "logs",
      isLenient: true,
      columns: [
        { name: "id", type: STRING },
        { name: "metadata", type: record(field("request", request, false)) },
      ],
    };
    const tables = { findTable: () => table, tableNames: () => ["logs"] };
    const resolve = (path: string) => resolveQuery(anyOf(path, "$ = 'a'"), text(path, "$ = 'a'"), { tables });
    for (const path of ["metadata", "metadata.request"])
      expect(() => resolve(path)).toThrow(`${path} is an object, which has no value of its own`);
    expect(() => resolve("metadata.request.other")).not.toThrow();
  });
});
