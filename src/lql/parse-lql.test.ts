import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { printQuery } from "../../test/support/googlesql/print-query.ts";
import { compileLql } from "./compile-lql.ts";
import type { LqlFilter } from "./lql-ast.ts";
import { LqlError } from "./lql-error.ts";
import { parseLql } from "./parse-lql.ts";

const nowMs = Date.parse("2026-08-20T09:30:15.250Z");
const context = { defaultTable: "edge_logs", nowMs, maxRows: 1_000 };

function compile(lql: string, more: Partial<Parameters<typeof compileLql>[1]> = {}): string {
  return printQuery(compileLql(lql, { ...context, ...more })).replaceAll("`", "");
}

function failure(lql: string): string {
  try {
    parseLql(lql, nowMs);
  } catch (error) {
    if (error instanceof LqlError) return `${error.offset + 1}: ${error.message}`;
    throw error;
  }
  throw new Error(`${lql} parses`);
}

function withoutSpans(filter: LqlFilter | undefined): unknown {
  const text = JSON.stringify(filter, (key, value: unknown) => {
    return key === "span" ? undefined : typeof value === "bigint" ? String(value) : value;
  });
  return JSON.parse(text);
}

function everyFilter(filter: LqlFilter): readonly LqlFilter[] {
  if (filter.kind === "Not") return [filter, ...everyFilter(filter.operand)];
  if (filter.kind === "And" || filter.kind === "Or") return [filter, ...filter.operands.flatMap(everyFilter)];
  return [filter];
}

const clause = fc.constantFrom(
  "error",
  "-debug",
  '"two words"',
  "~^GET",
  "m.x:1",
  "m.level:info..error",
  "t:now",
  "-m.a:NULL",
  'm.y:~"a b"',
  "id:@>3",
  "-(a OR b  c)",
  "(a b)",
);

it("the span of an LQL filter covers the text that it was parsed from", () => {
  const clauses = fc.array(clause, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("  "));
  const text = fc.array(clauses, { minLength: 1, maxLength: 3 }).map((parts) => ` ${parts.join(" OR ")} `);
  fc.assert(
    fc.property(text, (lql) => {
      const { filter, span } = parseLql(lql, nowMs);
      expect(span).toEqual({ start: 0, end: lql.length });
      for (const each of filter === undefined ? [] : everyFilter(filter)) {
        const part = lql.slice(each.span.start, each.span.end);
        expect(withoutSpans(parseLql(part, nowMs).filter)).toEqual(withoutSpans(each));
      }
    }),
  );
});

it("the spans of the table, the selected fields and the chart cover their text", () => {
  const lql = "a f:db_logs  s:m.x@y s:* c:count(*) b c:group_by(t::day)";
  const { from, selects, chart } = parseLql(lql, nowMs);
  const read = [from, ...selects, chart].map((part) => part && lql.slice(part.span.start, part.span.end));
  expect(read).toEqual(["db_logs", "s:m.x@y", "s:*", "c:count(*) b c:group_by(t::day)"]);
  expect(selects).toMatchObject([
    { path: ["metadata", "x"], alias: "y" },
    { path: undefined, alias: undefined },
  ]);
});

describe("the limits of an LQL text", () => {
  it("are 100 clauses, 50 selected fields and 20 levels of groups", () => {
    const clauses = (count: number) => "a ".repeat(count);
    expect(parseLql(clauses(100), nowMs).filter).toMatchObject({ kind: "And", operands: { length: 100 } });
    expect(failure(clauses(101))).toBe("201: More than 100 clauses");
    const selects = (count: number) => "s:x ".repeat(count);
    expect(parseLql(selects(50), nowMs).selects).toHaveLength(50);
    expect(failure(selects(51))).toBe("201: More than 50 selected fields");
    const groups = (depth: number) => `${"(".repeat(depth)}a${")".repeat(depth)}`;
    expect(withoutSpans(parseLql(groups(20), nowMs).filter)).toEqual({ kind: "Message", text: "a", isPattern: false });
    expect(failure(groups(21))).toBe("21: Groups nest deeper than 20 levels");
  });
});

describe("the error for an LQL text that does not parse", () => {
  const timestamp =
    "a timestamp is an ISO 8601 date or time, Unix time, a range a..b, or now, today, yesterday, this@PERIOD, " +
    "last@NPERIOD";
  const period = "A period is one of s, m, h, d, w, mm, y, or its name: second, minute, hour, day, week, month, year";
  const level =
    "A range of levels goes from one of debug, info, notice, warning, error, critical, alert, emergency to the same " +
    "or a later one";
  const chart =
    "A chart is group_by(t::PERIOD) or one of avg, count, countd, sum, max, min, p50, p95, p99 with a field or * in " +
    "parentheses";

  it.each([
    ["  ", "1: The LQL text is empty"],
    ["a:b:c", "4: This does not parse; a text with such a character stands in double quotes"],
    ["a :", "3: This does not parse"],
    ["m.x:", "5: The value of metadata.x is missing; it is a number, a date, a word or a text in double quotes"],
    ["m.x:>1..2", "6: A range stands behind : alone"],
    ["m.x:@>NULL", "7: NULL stands behind : alone"],
    ["m.level:>info..error", "10: A range stands behind : alone"],
    ["m.x:>2026-01-01..2026-01-02", "6: A range stands behind : alone"],
    ["m.x:2026-01-02..2026-01-01", "5: The range ends before it begins"],
    ["m.x:2026-01-02..1", "17: The range has no second date"],
    ["m.x:2026-02-30", "5: There is no such time: 2026-02-30"],
    ["m.level:error..info", `9: ${level}`],
    ["m.level:warn..error", `9: ${level}`],
    ["t:soon", `3: Not a timestamp: ${timestamp}`],
    ["t:2026-01-01..1", `15: Not a timestamp: ${timestamp}`],
    ["t:{1..2}", `3: Not a timestamp: ${timestamp}`],
    [
      "t:2026-01-{03..01}",
      "3: The range ends before it begins: 2026-01-03T00:00:00.000000 to 2026-01-01T00:00:00.000000",
    ],
    ["t:2026-01-01T00:00Z..2026-01-02", "22: A range cannot mix timestamps with and without a zone"],
    ["t:>today", "4: Not a timestamp: behind this operator stands one date or time, or now"],
    ["t:@>now", "5: A timestamp is compared with :, :>, :>=, :< or :<="],
    ["t:@>~now", "6: A timestamp is compared with :, :>, :>=, :< or :<="],
    ["t:last@3x", `9: ${period}`],
    ["t:this@12h", `8: ${period}`],
    ["c:median(x)", `3: ${chart}`],
    ["c:count", `3: ${chart}`],
    ["c:max()", "7: The field of max is missing"],
    ["c:max(*)", "7: max wants a field"],
    ["c:count(x", "10: The closing parenthesis is missing"],
    ["c:group_by(x)", "12: A chart groups by t::PERIOD"],
    ["c:group_by(t::week)", "15: The period is one of second, minute, hour, day"],
    ["c:group_by(t::day", "18: The closing parenthesis is missing"],
    ["s:@x", "3: The selected field is missing"],
    ["s:x@", "5: The alias behind @ is missing"],
    ["s:x@y:", "6: This does not parse; a text with such a character stands in double quotes"],
    ["f:!", "3: The table's name is missing"],
    ["f:a.b f:c", "7: There is more than one f: clause"],
    ["-s:x", "1: f:, s: and c: stand for themselves, outside of - and parentheses"],
    ["(c:count(*))", "2: f:, s: and c: stand for themselves, outside of - and parentheses"],
    ["(a", "1: The group has no closing parenthesis"],
    ["( )", "1: The group is empty"],
    ["a )", "3: This parenthesis closes no group"],
    ["OR b", "1: OR stands between two filters"],
    ["a OR ", "3: OR stands between two filters"],
    ["(a OR )", "7: OR stands between two filters"],
    ['a ~"b', "4: The quoted text has no end"],
  ])("explains %j: %s", (lql, message) => {
    expect(failure(lql).replace(/Z to (.*)Z$/, " to $1")).toBe(message);
  });
});

describe("an LQL value", () => {
  const readValue = (lql: string) => {
    const { filter } = parseLql(lql, nowMs);
    if (filter?.kind !== "Comparison") throw new Error(`${lql} is no comparison`);
    return filter.value;
  };
  const us = (iso: string) => BigInt(Date.parse(iso)) * 1_000n;

  it.each([
    ["m.x:1.5", { kind: "Number", text: "1.5" }],
    ["m.x:-2..-1.5", { kind: "NumberRange", low: "-2", high: "-1.5" }],
    ["m.x:1..2.5.6", undefined],
    ["m.x:1_000", { kind: "Text", text: "1_000" }],
    ["m.x:1.2.3", { kind: "Text", text: "1.2.3" }],
    ["m.x:NULLS", { kind: "Text", text: "NULLS" }],
    ["m.x:(a b)", { kind: "Text", text: "a b" }],
    ["m.x:()", { kind: "Text", text: "" }],
    [String.raw`m.x:"a\"b\\c\d"`, { kind: "Text", text: String.raw`a"b\c\d` }],
    ["m.level:error..error", { kind: "OneOf", texts: ["error"] }],
    ["m.level:alert..emergency", { kind: "OneOf", texts: ["alert", "emergency"] }],
    ["m.x:2026-01-01", { kind: "Instant", us: us("2026-01-01T00:00:00Z") }],
    [
      "m.x:2026-01-01..2026-01-01",
      { kind: "InstantRange", lowUs: us("2026-01-01T00:00:00Z"), highUs: us("2026-01-01T00:00:00Z") },
    ],
    ["t:1710683222", { kind: "Instant", us: 1_710_683_222_000_000n }],
    ["t:1710683222123456", { kind: "Instant", us: 1_710_683_222_123_456n }],
    [
      "t:1710683222..2024-03-17T14:00:00Z",
      { kind: "InstantRange", lowUs: 1_710_683_222_000_000n, highUs: us("2024-03-17T14:00:00Z") },
    ],
    [
      "t:2024-03-17T14:00:00..1710684222",
      { kind: "InstantRange", lowUs: us("2024-03-17T14:00:00Z"), highUs: 1_710_684_222_000_000n },
    ],
    ["t:>=now", { kind: "Instant", us: us("2026-08-20T09:30:15.250Z") }],
    [
      "t:2026-08-20..2026-08-20",
      { kind: "InstantRange", lowUs: us("2026-08-20T00:00:00Z"), highUs: us("2026-08-20T00:00:00Z") },
    ],
    ["t:2026-08-20T10:00-0130", { kind: "Instant", us: us("2026-08-20T11:30:00Z") }],
  ])("in %s is parsed by its form", (lql, value) => {
    if (value === undefined) expect(() => readValue(String(lql))).toThrow(LqlError);
    else expect(readValue(String(lql))).toEqual(value);
  });

  it.each([
    ["m.roles:@>9007199254740993", 'CAST(lql_item AS STRING) = "9007199254740993"'],
    ["m.roles:@>~7", 'REGEXP_CONTAINS(CAST(lql_item AS STRING), "7")'],
    ["m.x:~7", 'REGEXP_CONTAINS(CAST(metadata.x AS STRING), "7")'],
    ["m.x:>9007199254740993", "SAFE_CAST(metadata.x AS FLOAT64) > 9007199254740993.0"],
    ["m.x:9007199254740993.5", "SAFE_CAST(metadata.x AS FLOAT64) = 9007199254740993.5"],
    ["m.x:~2026-01-01", 'REGEXP_CONTAINS(CAST(metadata.x AS STRING), "2026-01-01T00:00:00.000000Z")'],
    ["m.timestamp:1", "SAFE_CAST(metadata.timestamp AS FLOAT64) = 1.0"],
    ["t.x:1", "SAFE_CAST(t.x AS FLOAT64) = 1.0"],
    ["m:x", 'CAST(metadata AS STRING) = "x"'],
    ["(a(b) c)", 'STRPOS(event_message, "a(b)") > 0 AND STRPOS(event_message, "c") > 0'],
    ["(a b)c", undefined],
  ])("in %s is compared as %s", (lql, sql) => {
    if (sql !== undefined) expect(compile(lql)).toContain(sql);
    else expect(compile(lql)).toContain('STRPOS(event_message, "c") > 0');
  });
});

describe("a compiled LQL query", () => {
  it("of whole rows selects all columns without an order, whatever the text selects or charts", () => {
    const whole = 'SELECT * FROM edge_logs AS lql_row WHERE STRPOS(event_message, "a") > 0';
    for (const more of ["", " s:id", " c:count(*)"]) expect(compile(`a${more}`, { isWhole: true })).toBe(whole);
  });

  it("computes only the quantile that the text names", () => {
    for (const percent of [50, 95, 99]) {
      expect(compile(`c:p${percent}(m.x)`)).toContain(
        `APPROX_QUANTILES(SAFE_CAST(metadata.x AS FLOAT64), 100)[OFFSET(${percent})] AS count`,
      );
    }
  });

  it("tells the caller to name a table if none is the default", () => {
    const failing = (missingTable?: string) => () =>
      compileLql("a", { ...context, defaultTable: undefined, ...(missingTable === undefined ? {} : { missingTable }) });
    expect(failing()).toThrow("This endpoint has several tables and none is the default: name one with f:");
    expect(failing("Say which")).toThrow("Say which");
  });
});
