import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sampleOf } from "../../../test/support/sample-size.ts";
import { parseQuery } from "../../googlesql/parse.ts";
import { resolveQuery } from "../../googlesql/resolve.ts";
import type { Expr, ResolvedQuery, Scan } from "../../googlesql/resolved.ts";
import { EngineError } from "../contract/errors.ts";
import type { ScratchEngine } from "../contract/scratch-engine.ts";
import { openScratchEngine } from "../index.ts";
import { Computable, computeConstant } from "./evaluate.ts";
import { factsOf, NO_FACTS, tryConstant } from "./run-facts.ts";
import { literalFor } from "./values.ts";

/** The resolver itself casts literals. */
function texts(...lists: readonly string[]): readonly string[] {
  return lists.flatMap((list) => list.split("|").map((text) => `CONCAT(${text}, '')`));
}

const values: Readonly<Record<string, readonly string[]>> = {
  INT64: "0|1|-1|3|-7|59|9223372036854775807|-9223372036854775808|CAST(NULL AS INT64)".split("|"),
  FLOAT64: "0.0|-0.0|1.5|-2.5|1e308|1e-310|CAST('nan' AS FLOAT64)|CAST('inf' AS FLOAT64)|CAST(NULL AS FLOAT64)".split(
    "|",
  ),
  STRING: "''|'a'|'ab'|'\u00e4'|'\uff5e'|'\u{10437}'|'z'|CAST(NULL AS STRING)".split("|"),
  BOOL: "TRUE|FALSE|CAST(NULL AS BOOL)".split("|"),
  DATE: "DATE '0001-01-01'|DATE '1969-12-31'|DATE '2024-02-29'|DATE '9999-12-31'|CAST(NULL AS DATE)".split("|"),
  DATETIME: "DATETIME '0001-01-01 00:00:00'|DATETIME '2024-03-31 23:59:59.999999'|DATETIME '9999-12-31 12:00:00'".split(
    "|",
  ),
  TIMESTAMP:
    "TIMESTAMP '0001-01-01 00:00:00+00'|TIMESTAMP '1969-12-31 23:59:59.999999+00'|TIMESTAMP '2024-05-17 13:14:15.123456+00'|TIMESTAMP '9999-12-31 23:59:59.999999+00'|CAST(NULL AS TIMESTAMP)".split(
      "|",
    ),
  TEXT: texts(
    "' 12 '|'-0x1F'|'1e3'|'1.5'|'.5'|' -inf'|'nan'|'TRUE'|'False'|'2024-2-9'|'2024-02-30'|'2024-05-17 1:2:3'",
    "'2024-05-17T01:02:03.4Z'|'2024-05-17 01:02:03+5:30'|'2024-05-17 01:02:03 Europe/Paris'|'12:30:00'",
    "'0001-01-01 00:00:00+14'|'9223372036854775808'|''|CAST(NULL AS STRING)",
  ),
};

/** `x`, `y` and `z` stand for values of the types. */
const forms: readonly (readonly [types: string, ...forms: string[]])[] = [
  ["INT64 INT64", ..."x + y|x - y|x * y|DIV(x, y)|MOD(x, y)|SAFE.DIV(x, y)|NULLIF(x, y)".split("|")],
  ["INT64", ..."-x|CAST(x AS STRING)|CAST(x AS FLOAT64)|CAST(x AS BOOL)|IF(x > 0, x, -x)".split("|")],
  ["INT64", ..."TIMESTAMP_SECONDS(x)|TIMESTAMP_MILLIS(x)|TIMESTAMP_MICROS(x)|SAFE.TIMESTAMP_SECONDS(x)".split("|")],
  ["FLOAT64 FLOAT64", ..."x + y|x - y|x * y|x / y".split("|")],
  ["FLOAT64", "-x"],
  ["BOOL BOOL", ..."x AND y|x OR y|NOT (x AND NOT y)|COALESCE(x, y)|x IS TRUE|x IS FALSE|x IS NOT NULL".split("|")],
  ["STRING STRING", "x || y", "CONCAT(x, y)", "IFNULL(x, y)", "CASE x WHEN y THEN 'same' WHEN 'ab' THEN y END"],
  ...["INT64", "FLOAT64", "STRING", "DATE", "TIMESTAMP"].map(
    (type) => [`${type} ${type}`, ..."x = y|x != y|x < y|x <= y|x > y|x >= y|x BETWEEN y AND x".split("|")] as const,
  ),
  ["INT64 INT64 INT64", "x IN (y, z, 59)", "x NOT IN (y, z)", "x BETWEEN y AND z"],
  ["TEXT", ...["INT64", "FLOAT64", "BOOL", "DATE", "DATETIME", "TIME", "TIMESTAMP"].map((to) => `CAST(x AS ${to})`)],
  ["TEXT", "SAFE_CAST(x AS TIMESTAMP)", "IF(x = '', NULL, CAST(x AS TIMESTAMP))"],
  ["DATE INT64", ..."DAY|WEEK|MONTH|QUARTER|YEAR".split("|").map((part) => `DATE_ADD(x, INTERVAL y ${part})`)],
  ["DATETIME INT64", ..."SECOND|MONTH|YEAR".split("|").map((part) => `DATETIME_SUB(x, INTERVAL y ${part})`)],
  ["TIMESTAMP INT64", ..."MICROSECOND|HOUR|DAY".split("|").map((part) => `TIMESTAMP_SUB(x, INTERVAL y ${part})`)],
  ["DATE", "x + 1", "x - 400", "DATE_SUB(x, INTERVAL 13 MONTH)", "DATETIME(x)", "TIMESTAMP(x)", "CAST(x AS STRING)"],
  ["TIMESTAMP", "x + INTERVAL '1 2:3' DAY TO MINUTE", "x - INTERVAL 90 MINUTE", "UNIX_SECONDS(x)", "UNIX_MILLIS(x)"],
  ["TIMESTAMP", "UNIX_MICROS(x)", "DATE(x)", "DATETIME(x)", "CAST(x AS DATE)", "CAST(x AS DATETIME)"],
  ["DATETIME", "x + INTERVAL 1 MONTH", "DATE(x)", "TIMESTAMP(x)", "CAST(x AS STRING)"],
  ["TIMESTAMP", ..."SECOND|MINUTE|HOUR|DAY|MONTH|QUARTER|YEAR".split("|").map((p) => `TIMESTAMP_TRUNC(x, ${p})`)],
  ["DATE", ..."DAY|MONTH|QUARTER|YEAR".split("|").map((part) => `DATE_TRUNC(x, ${part})`)],
  ["DATETIME", ..."MINUTE|MONTH|YEAR".split("|").map((part) => `DATETIME_TRUNC(x, ${part})`)],
];

function combine(types: readonly string[]): readonly (readonly string[])[] {
  const [first, ...rest] = types;
  if (first === undefined) return [[]];
  return combine(rest).flatMap((others) => (values[first] ?? []).map((value) => [value, ...others]));
}

const expressions: readonly string[] = forms.flatMap(([types, ...each]) =>
  combine(types.split(" ")).flatMap((given) =>
    each.map((form) => form.replace(/\b[xyz]\b/g, (name) => `(${given["xyz".indexOf(name)]})`)),
  ),
);

let judge: ScratchEngine;
beforeAll(async () => {
  judge = await openScratchEngine();
});
afterAll(() => judge.close());

function resolve(text: string): ResolvedQuery {
  const sql = `SELECT ${text} AS r`;
  return resolveQuery(parseQuery(sql), sql, { tables: judge.tables });
}

/** The query with another expression for its one column. */
function withExpression(query: ResolvedQuery, change: (expression: Expr) => Expr): ResolvedQuery {
  const { scan } = query;
  if (scan.kind !== "Project") throw new Error(`A query that is a ${scan.kind}`);
  const computed = scan.computed.map((item) => ({ ...item, expression: change(item.expression) }));
  return { ...query, scan: { ...scan, computed } satisfies Scan };
}

async function ask(query: ResolvedQuery): Promise<string> {
  try {
    return await judge.run(judge.compile(query), [], 60_000);
  } catch (error) {
    // A busy machine is no answer.
    if (error instanceof EngineError && error.code === "timeout") throw error;
    return "an error";
  }
}

function computed(query: ResolvedQuery): ResolvedQuery | "an error" {
  const facts = { ...NO_FACTS, nameZone: () => undefined };
  try {
    return withExpression(query, (expression) => literalFor(expression, computeConstant(expression, facts)));
  } catch {
    return "an error";
  }
}

/** The difference between the two engines, or a note that the text is not computed at all. */
async function judgeText(text: string): Promise<string | undefined> {
  const query = resolve(text);
  const expression = query.scan.kind === "Project" ? query.scan.computed[0]?.expression : undefined;
  if (expression === undefined || !new Computable("UTC").has(expression)) return `${text} is not computed`;
  const [found, due] = [computed(query), await ask(query)];
  // What fails is left to the engine, which need not compute it beside a NULL.
  if (found === "an error" && due === "[[null]]") return undefined;
  const got = found === "an error" ? found : await ask(found);
  return got === due ? undefined : `${text} is ${got} instead of ${due}`;
}

describe("constant evaluation", () => {
  it("computes what the embedded engine computes", { timeout: 120_000 }, async () => {
    const wrong: string[] = [];
    for (const text of sampleOf(expressions, 0.0125))
      wrong.push(...[await judgeText(text)].filter((each) => each !== undefined));
    expect(wrong).toEqual([]);
  });

  it.each([
    "RAND()",
    "GENERATE_UUID()",
    "TIMESTAMP_TRUNC(TIMESTAMP '2024-05-17', DAY, 'Europe/Paris')",
    "CAST('2024-05-17' AS TIMESTAMP FORMAT 'YYYY-MM-DD')",
    "(SELECT 1)",
    "[1, 2]",
    "NUMERIC '1.5' + 1",
    "COLLATE('a', 'und:ci') = 'A'",
  ])("does not accept %s", (text) => {
    const { scan } = resolve(text);
    const expression = scan.kind === "Project" ? scan.computed[0]?.expression : undefined;
    expect(expression).toBeDefined();
    expect(expression !== undefined && new Computable("UTC").has(expression)).toBe(false);
  });

  it("computes what the embedded engine computes of moves", async () => {
    const moves = [
      "DATE + INTERVAL 1 MONTH|DATE - INTERVAL '1 2:3' DAY TO MINUTE|DATETIME '2024-02-29' < DATE - INTERVAL 1 DAY",
      "DATE + INTERVAL n HOUR|DATE - INTERVAL n MONTH|SAFE.DATE_ADD(DATE, INTERVAL n DAY)|DATE + INTERVAL n WEEK",
      "SAFE.DATETIME_ADD(DATETIME(DATE), INTERVAL n YEAR)",
      "SAFE.TIMESTAMP_SUB(TIMESTAMP(DATE), INTERVAL n MICROSECOND)|TIMESTAMP(DATE) + INTERVAL n HOUR",
    ].flatMap((each) => each.split("|"));
    const dates = ["DATE '0001-01-01'", "DATE '2024-02-29'", "DATE '9999-12-31'"];
    const amounts = ["1", "-3660000", "87840001", "9223372036854775807", "CAST(NULL AS INT64)"];
    const moved = moves.flatMap((move) =>
      dates.flatMap((date) =>
        (/\bn\b/.test(move) ? amounts : ["0"]).map((amount) =>
          move.replace(/\bDATE\b(?= [+-]|[,)])/g, `(${date})`).replace(/\bn\b/, `(0 + ${amount})`),
        ),
      ),
    );
    // One by one: queries that wait for each other may meet their limit of time.
    const wrong: (string | undefined)[] = [];
    for (const text of moved) wrong.push(await judgeText(text));
    expect(wrong.filter((each) => each !== undefined)).toEqual([]);
  });

  it("looks for a few zones only", () => {
    const { scan } = resolve("SAFE_CAST(CONCAT('2024-05-17 01:02:03', ' Europe/Paris') AS TIMESTAMP)");
    const named = scan.kind === "Project" ? scan.computed[0]?.expression : undefined;
    const { scan: other } = resolve("SAFE_CAST(CONCAT('2024-05-17T01:02:03', 'Z') AS TIMESTAMP)");
    const unnamed = other.kind === "Project" ? other.computed[0]?.expression : undefined;
    if (named === undefined || unnamed === undefined) throw new Error("The queries are not projections");
    const facts = factsOf({ query: judge.compile(resolve("1")), values: [] }, 0n);
    const made = Array.from({ length: 20 }, () => tryConstant(named, facts));
    expect(made.filter((each) => each !== undefined)).toEqual(Array.from({ length: 8 }, () => 1_715_900_523_000_000n));
    expect(made.slice(8).every((each) => each === undefined)).toBe(true);
    expect([named, unnamed].map((each) => tryConstant(each, NO_FACTS))).toEqual([undefined, 1_715_907_723_000_000n]);
  });

  it("leaves long texts to the engine, however often they double", () => {
    const doubled = Array.from({ length: 40 }, (_, n) => `v${n + 1} AS CONCAT(v${n}, v${n})`).join(", ");
    const compute = (text: string) => {
      const { scan } = resolve(text);
      const expression = scan.kind === "Project" ? scan.computed[0]?.expression : undefined;
      return expression === undefined ? undefined : tryConstant(expression, NO_FACTS);
    };
    expect(compute(`WITH(v0 AS 'x', ${doubled}, v40)`)).toBeUndefined();
    expect(compute(`'${"a".repeat(1023)}' || 'b'`)).toHaveLength(1024);
    expect(compute(`'${"a".repeat(1023)}' || '\u00e4'`)).toBeUndefined();
    expect(compute(`SAFE.CONCAT('${"a".repeat(1023)}', 'bc')`)).toBeUndefined();
  });

  it("accepts nothing if the session's clock has another time zone", () => {
    const { scan } = resolve("1 + 1");
    const expression = scan.kind === "Project" ? scan.computed[0]?.expression : undefined;
    expect(expression !== undefined && new Computable("Europe/Paris").has(expression)).toBe(false);
  });
});
