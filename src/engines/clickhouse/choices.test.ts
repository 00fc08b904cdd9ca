import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseQuery } from "../../googlesql/parse.ts";
import { resolveQuery } from "../../googlesql/resolve.ts";
import type { ResolvedQuery } from "../../googlesql/resolved.ts";
import { BOOL, INT64, type SqlType, STRING } from "../../googlesql/types.ts";
import type { ParameterValue } from "../contract/query-engine.ts";
import type { ScratchEngine } from "../contract/scratch-engine.ts";
import { openScratchEngine } from "../index.ts";
import { queryConstants, RunConstantFinder } from "../lowering/run-constants.ts";
import { readCells } from "../values/parameter-value.ts";
import { applyChoices, findChoices } from "./choices.ts";

const types: ReadonlyMap<string, SqlType> = new Map([
  ["s", STRING],
  ["n", INT64],
  ["b", BOOL],
]);

const rows = "UNNEST([STRUCT(1 AS x, 'a' AS t), (2, 'b'), (0, NULL), (NULL, 'a')])";

/** Conditions and values in every place where they decide a choice, and where they do not. */
const texts: readonly string[] = [
  ..."@b OR x > 1|@b AND x > 1|NOT @b OR x > 1|@b|@b IS NULL OR x = @n|@s = '' OR t = @s|(@b AND x > 1) OR t = 'a'"
    .split("|")
    .map((condition) => `SELECT x, t FROM ${rows} WHERE ${condition}`),
  ..."(@b OR x > 1) AND (@s = 'a' OR x < 2)|x > 0 AND @b AND @n > 1|x > 0 OR @b OR x IS NULL|IF(@b, x > 1, t = 'a')"
    .split("|")
    .map((condition) => `SELECT x, t FROM ${rows} WHERE ${condition}`),
  ...[
    "IF(@b, x, -x)",
    "IF(x > 1, @n, IF(@s = 'a', x, 7))",
    "CASE WHEN @b THEN x WHEN @n > 1 THEN -x END",
    "CASE WHEN x > 1 THEN 5 WHEN @b THEN x WHEN x = 0 THEN 6 ELSE 9 END",
    "CASE @s WHEN 'a' THEN x WHEN t THEN 8 ELSE @n END",
    "CASE WHEN @b THEN 1 / x ELSE 0 END",
    "@b AND x > 1",
    "@b OR x > 1",
    "SAFE.REGEXP_CONTAINS(t, @s)",
    "COUNTIF(@b OR x > 1) OVER ()",
  ].map((value) => `SELECT ${value} AS v FROM ${rows} ORDER BY x`),
  `SELECT IF(@b, t, 'all') AS k, COUNTIF(@n > 1 AND x > 0) AS n FROM ${rows} GROUP BY k ORDER BY k`,
  `WITH w AS (SELECT x FROM ${rows} WHERE @b OR x > 1) SELECT a.x FROM w AS a JOIN w AS b USING (x) ORDER BY x`,
  `SELECT x FROM ${rows} WHERE x IN (SELECT y FROM UNNEST([1, 2]) AS y WHERE @b OR y > 1) ORDER BY x`,
];

const values: readonly Readonly<Record<string, ParameterValue>>[] = [
  { s: "a", n: "2", b: true },
  { s: "", n: "1", b: false },
  { s: null, n: null, b: null },
];

let judge: ScratchEngine;
beforeAll(async () => {
  judge = await openScratchEngine();
});
afterAll(() => judge.close());

function resolve(text: string): ResolvedQuery {
  return resolveQuery(parseQuery(text), text, { tables: judge.tables, parameters: types });
}

async function ask(query: ResolvedQuery, given: Readonly<Record<string, ParameterValue>>): Promise<string> {
  const compiled = judge.compile(query);
  const bound = compiled.parameters.map(({ key }) => given[key] ?? null);
  return judge.run(compiled, bound, 60_000).catch(() => "an error");
}

async function decide(query: ResolvedQuery, given: Readonly<Record<string, ParameterValue>>): Promise<ResolvedQuery> {
  const choices = findChoices(query, new RunConstantFinder());
  if (choices.length === 0) return query;
  let id = 1_000;
  const rows = await ask(
    queryConstants(choices, query.parameters, (name, type) => ({ id: id++, name, type })),
    given,
  );
  const found = readCells(choices, rows.slice(1, -1)) ?? [];
  return applyChoices(query, new Map(choices.map((choice, index) => [choice, found[index] ?? null])));
}

describe("a query whose choices are decided by values", () => {
  it.each(texts)("returns the same rows as the undecided query: %s", async (text) => {
    const query = resolve(text);
    for (const given of values) expect(await ask(await decide(query, given), given)).toBe(await ask(query, given));
  });

  it("contains no open choice", async () => {
    const constants = new RunConstantFinder();
    const left = texts.map(resolve).filter((query) => findChoices(query, constants).length > 0);
    expect(left.length).toBeGreaterThan(texts.length - 3);
    for (const query of left) {
      for (const given of values) expect(findChoices(await decide(query, given), constants)).toEqual([]);
    }
  });

  it("stays undecided if it has more than 64 choices", () => {
    const rowsOf = (conditions: number) => {
      const each = Array.from({ length: conditions }, (_, n) => `IF(@n = ${n}, x, 0) AS c${n}`);
      return findChoices(resolve(`SELECT ${each.join(", ")} FROM ${rows}`), new RunConstantFinder()).length;
    };
    expect([rowsOf(64), rowsOf(65)]).toEqual([64, 0]);
  });
});
