import { describe, expect, it } from "vitest";
import { offsetOf } from "../editor/diagnostics.ts";
import { changedLines } from "./changed-lines.ts";
import { readMessages } from "./event-stream.ts";
import { formatFragment, parseFragment } from "./fragment.ts";
import { completeLql, lqlClause, splitClauses, sqlCondition, withFilter } from "./query-text.ts";
import { countsByLevel, stackUp } from "./series.ts";
import { formatAgo, formatInstant, formatRange, parseRange, resolveRange } from "./time.ts";
import { sumUp } from "./usage.ts";
import { chooseFacets, chooseSplit, levelOf, lineOf, showControls, textOf, unwrap, valueAt } from "./values.ts";

describe("the URL fragment", () => {
  it("restores a page and its state", () => {
    const parameters = new URLSearchParams({ q: "a b&c=1", "p.project": "x/y" });
    const { path, parameters: read } = parseFragment(formatFragment({ path: "endpoints/logs.all", parameters }));
    expect([path, read.get("q"), read.get("p.project")]).toEqual(["endpoints/logs.all", "a b&c=1", "x/y"]);
  });

  it.each(["#token=t&project=p", "#/token=t&project=p"])("contains the token in %s", (hash) => {
    const { path, parameters } = parseFragment(hash);
    expect([path, parameters.get("token"), parameters.get("project")]).toEqual(["", "t", "p"]);
  });
});

describe("LQL clauses", () => {
  it.each([
    ["metadata.level", "error", "STRING", false, "m.level:error"],
    ["metadata.level", "error", "STRING", true, "-m.level:error"],
    ["metadata.code", "500", "INT64", false, "m.code:500"],
    ["metadata.code", "500", "STRING", false, 'm.code:"500"'],
    ["project", "a b", "STRING", false, 'project:"a b"'],
    ["metadata.a", 'say "no\\"', "STRING", false, 'm.a:"say \\"no\\\\\\""'],
    ["metadata.a", "NULL", "STRING", false, 'm.a:"NULL"'],
    ["metadata.a", null, "STRING", false, "m.a:NULL"],
    ["metadata.b", "true", "BOOL", false, "m.b:true"],
  ] as const)("for %s with the value %s have the right form", (path, value, type, isExcluded, clause) => {
    expect(lqlClause(path, value, type, isExcluded)).toBe(clause);
  });

  it("are added, removed again, and replaced by their negation", () => {
    const field = { path: "metadata.level", type: "STRING" };
    const once = withFilter("lql", 'm.path:"/a b" (x OR y)', field, "error", false);
    expect(once).toBe('m.path:"/a b" (x OR y) m.level:error');
    expect(withFilter("lql", once, field, "error", false)).toBe('m.path:"/a b" (x OR y)');
    expect(withFilter("lql", once, field, "error", true)).toBe('m.path:"/a b" (x OR y) -m.level:error');
    expect(splitClauses('a "b c" -(d "e)" f) g:~"h i"')).toEqual(["a", '"b c"', '-(d "e)" f)', 'g:~"h i"']);
  });

  it("are completed with table, time and columns unless the text has them", () => {
    expect(completeLql("error", "db_logs", "a..b")).toBe("error f:db_logs t:a..b s:*");
    expect(completeLql("f:x c:count(*)", "db_logs", undefined)).toBe("f:x c:count(*)");
  });
});

describe("SQL conditions", () => {
  it("quote names and texts", () => {
    expect(sqlCondition("metadata.a-b", 'x"y\n', "STRING", false)).toBe('metadata.`a-b` = "x\\"y\\n"');
    expect(sqlCondition("a", null, undefined, true)).toBe("a IS NOT NULL");
  });

  it("are inserted at the right position in the query", () => {
    const add = (text: string) => withFilter("sql", text, { path: "a", type: "INT64" }, "1", false);
    expect(add("SELECT * FROM t ORDER BY timestamp DESC")).toBe(
      "SELECT * FROM t\nWHERE a = 1\nORDER BY timestamp DESC",
    );
    expect(add("SELECT * FROM t WHERE b LIMIT 5")).toBe("SELECT * FROM t WHERE b\n  AND a = 1\nLIMIT 5");
    expect(add("SELECT a FROM t GROUP BY a")).toBe("SELECT a FROM t GROUP BY a\n|> WHERE a = 1");
  });
});

describe("values in rows", () => {
  const row = { a: [{ b: [{ c: 5 }], list: [1, 2] }], t: "x\ny" };

  it("are found through records of one object", () => {
    expect([valueAt(row, "a.b.c"), valueAt(row, "a.x"), valueAt(row, "toString"), valueAt(row, "t.length")]).toEqual([
      5,
      undefined,
      undefined,
      undefined,
    ]);
    expect(unwrap(row)).toEqual({ a: { b: { c: 5 }, list: [1, 2] }, t: "x\ny" });
    expect([textOf(row.a), lineOf("a\nb"), lineOf("x".repeat(5_000)).length]).toEqual([
      '{"b":{"c":5},"list":[1,2]}',
      "a b",
      2_001,
    ]);
  });

  it("show control characters visibly", () => {
    expect(lineOf("a\u001b[31m\u202etxt.exe\u0007")).toBe("a\u241b[31m\u2039U+202E\u203atxt.exe\u2407");
    expect(showControls("a\nb\tc\r")).toBe("a\nb\tc\u240d");
  });

  it("are mapped to a level", () => {
    expect(["5xx", "404", "WARN", "info", "304", "x", null].map(levelOf)).toEqual([
      "error",
      "warning",
      "warning",
      "ok",
      "redirect",
      "other",
      "other",
    ]);
  });

  it("determine which fields make facets and splits", () => {
    const field = (path: string, type = "STRING") => ({ path, type });
    const fields = [
      field("id"),
      field("metadata.x.method"),
      field("metadata.response.status_code", "INT64"),
      field("level"),
    ];
    expect(chooseFacets(fields)).toEqual(["level", "metadata.response.status_code", "metadata.x.method"]);
    expect(chooseSplit(fields)).toEqual({ path: "metadata.response.status_code", isByClass: true });
    expect(chooseSplit([field("level")])).toEqual({ path: "level", isByClass: false });
  });
});

describe("time series", () => {
  it("are summed by level and stacked", () => {
    const parted = countsByLevel([
      { value: "5xx", counts: [1, 0] },
      { value: "2xx", counts: [2, 3] },
      { value: "200", counts: [1, 1] },
    ]);
    expect(parted.map(({ level, total }) => [level, total])).toEqual([
      ["ok", 7],
      ["error", 1],
    ]);
    expect(stackUp(parted.map(({ counts }) => counts))).toEqual([
      [3, 4],
      [4, 4],
    ]);
  });
});

describe("time ranges", () => {
  it("are restored from the URL", () => {
    const between = { kind: "between", fromMs: 1_000, toMs: 2_000 } as const;
    expect(parseRange(formatRange(between))).toEqual(between);
    expect([parseRange("15m"), parseRange("nonsense")]).toEqual([
      { kind: "last", amount: "15m" },
      { kind: "last", amount: "1h" },
    ]);
    expect(resolveRange({ kind: "last", amount: "15m" }, 1e9)).toEqual({ fromMs: 1e9 - 9e5, toMs: 1e9 });
  });

  it("are shown in a time zone, and as an age", () => {
    expect(formatInstant(1_795_333_586_020, "utc", true)).toBe("2026-11-22 07:46:26.020");
    expect([formatAgo(0, 1_000), formatAgo(0, 120_000), formatAgo(0, 864e5 * 3)]).toEqual([
      "1 second ago",
      "2 minutes ago",
      "3 days ago",
    ]);
  });
});

it("positions of diagnostics are counted in code points", () => {
  expect([offsetOf("a\n😀bc", 2, 3), offsetOf("abc", 1, 1), offsetOf("", 1, 5)]).toEqual([5, 0, 0]);
});

it("readMessages yields complete stream messages at any chunk size", async () => {
  const text = ': hello\n\nid: 0\n\nid: 1\ndata: {"a":1}\n\nevent: end\ndata: x\ndata: y\n\n';
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 3) controller.enqueue(bytes.slice(at, at + 3));
      controller.close();
    },
  });
  const messages = [];
  for await (const message of readMessages(body)) messages.push(message);
  expect(messages).toEqual([
    { id: "0", event: "place", data: "" },
    { id: "1", event: "message", data: '{"a":1}' },
    { id: undefined, event: "end", data: "x\ny" },
  ]);
});

describe("changedLines", () => {
  it.each([
    ["a\nb\nc", "a\nx\nc", [" a", "-b", "+x", " c"]],
    ["a", "a\nb", [" a", "+b"]],
    ["a\na\na", "a\na", [" a", " a", "-a"]],
    ["a", "a", [" a"]],
  ])("returns the lines changed from %j to %j", (before, after, expected) => {
    expect(changedLines(before, after).map(({ op, text }) => op + text)).toEqual(expected);
  });
});

it("sumUp adds the requests of several projects by time", () => {
  const rows = (...all: (readonly [string, number])[]) =>
    all.map(([timestamp, count]) => ({ timestamp, total_rest_requests: count, total_auth_requests: 1 }));
  const all = [
    { name: "a", rows: rows(["2026-08-20T09:00:00", 1], ["2026-08-20T10:00:00", 2]) },
    { name: "b", rows: rows(["2026-08-20T10:00:00", 5]) },
  ];
  expect(sumUp(all)).toEqual({
    times: ["2026-08-20T09:00:00", "2026-08-20T10:00:00"],
    counts: [
      [2, 3],
      [0, 6],
    ],
  });
});
