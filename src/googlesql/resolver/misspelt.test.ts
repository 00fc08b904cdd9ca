import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diagnosticsOf } from "../../../test/support/googlesql/resolver/resolved.ts";
import { sampleSize } from "../../../test/support/sample-size.ts";

/** Each reads the columns of `{}` by the names in `<>`, and has columns of the same names. */
const STEPS: readonly string[] = [
  "SELECT <status>, <country>, <latency> FROM {}",
  "SELECT x.<status>, x.<country>, x.<latency> FROM {} AS x",
  "SELECT * FROM {} WHERE <status> = 1 ORDER BY <latency>",
  "SELECT <status>, <country>, SUM(<latency>) AS latency FROM {} GROUP BY <status>, <country> HAVING MIN(<status>) > 0",
  "SELECT * REPLACE (<status> + 1 AS <status>) FROM {}",
  "SELECT * EXCEPT (<latency>), 1.5 AS latency FROM {}",
  "SELECT <status>, <country>, <latency> FROM {} UNION ALL SELECT <status>, <country>, <latency> FROM {}",
  "SELECT <status>, <country>, <latency> FROM {} UNION ALL BY NAME SELECT <country>, <latency>, <status> FROM {}",
  "SELECT <status>, a.<country>, b.<latency> FROM {} AS a JOIN {} AS b USING (<status>)",
  "SELECT a.<status>, b.<country>, b.<latency> FROM {} AS a JOIN {} AS b ON a.<status> = b.<status>",
  "SELECT s.<status>, s.<country>, s.<latency> FROM (SELECT STRUCT(<status>, <country>, <latency>) AS s FROM {})",
  "SELECT y.<status>, <country>, <latency> FROM UNNEST(ARRAY(SELECT AS STRUCT <status>, <country>, <latency> FROM {})) AS y",
  "SELECT list[0] AS status, <country>, <latency> FROM (SELECT [<status>] AS list, <country>, <latency> FROM {})",
  "SELECT * FROM {} QUALIFY ROW_NUMBER() OVER (PARTITION BY <country> ORDER BY <status>) = 1",
  "SELECT <status>, <country>, <latency> FROM {} AS o WHERE EXISTS (SELECT 1 FROM {} AS i WHERE i.<status> = o.<status>)",
  "SELECT <status>, <country>, (SELECT MAX(<latency>) FROM {}) AS latency FROM {}",
  "WITH c AS (SELECT <status>, <country> FROM {}), d AS (SELECT *, 1.5 AS latency FROM c) SELECT * FROM d ORDER BY <status>",
  "SELECT <status> AS status, <country> AS country, <latency> AS latency FROM {} ORDER BY <status>, <latency>",
  "SELECT * FROM {} PIVOT (SUM(<latency>) AS latency FOR 1 IN (1)) |> SELECT <status>, <country>, 1.5 AS latency",
  "SELECT * FROM (SELECT <status>, <country> FROM {}) UNPIVOT (latency FOR n IN (<status>)) |> SELECT 1 AS status, <country>, <latency>",
  "FROM {} |> WHERE <status> > 0 |> SELECT <status>, <country>, <latency> |> ORDER BY <country>",
  "FROM {} |> EXTEND <status> + 1 AS further |> DROP <further>",
  "FROM {} |> SET <latency> = <latency> * 2",
  "FROM {} |> RENAME <status> AS renamed |> RENAME <renamed> AS status",
  "SELECT <status>, <country>, SUM(<latency>) OVER w AS latency FROM {} WINDOW w AS (PARTITION BY <country> ORDER BY <status>)",
  "SELECT <status>, <country>, <latency> FROM {} GROUP BY ROLLUP (<status>, (<country>, <latency>))",
  "SELECT <status>, <country>, MIN(<latency>) AS latency FROM {} GROUP BY ALL ORDER BY <country>",
  "SELECT <status>, <country>, IF(<status> IN (SELECT <status> FROM {}), <latency>, NULL) AS latency FROM {}",
  "WITH c AS (SELECT * FROM {}) SELECT c.<status>, d.<country>, c.<latency> FROM c, c AS d WHERE c.<status> = d.<status>",
  "WITH RECURSIVE r AS (SELECT * FROM {} UNION ALL SELECT <status> + 1, <country>, <latency> FROM r WHERE <status> < 3) SELECT * FROM r",
  "FROM {} |> AS t |> LEFT JOIN {} AS u USING (<status>) |> SELECT <status>, t.<country>, u.<latency>",
  "SELECT <status>, <country>, <latency> AS measured FROM {} ORDER BY <measured> |> RENAME <measured> AS latency",
  "FROM {} |> AGGREGATE SUM(<latency>) AS latency GROUP BY <status>, <country>",
];

const MISSPELL: readonly ((name: string) => string)[] = [
  (name) => name.slice(0, -1),
  (name) => `${name.slice(0, 2)}${name.slice(3)}`,
  (name) => `${name}s`,
  (name) => `${name[1]}${name[0]}${name.slice(2)}`,
];

const steps = fc.array(fc.constantFrom(...STEPS), { minLength: 1, maxLength: 3 });

/** A query of the steps, the first innermost; every other alias in another case. */
function build(chosen: readonly string[]): string {
  return chosen.reduce(
    (inner, step) => step.replaceAll("{}", `(${inner})`),
    "SELECT 1 AS status, 'x' AS country, 2.5 AS latency",
  );
}

interface Name {
  readonly start: number;
  readonly end: number;
  readonly right: string;
}

/** The text with those names replaced that `isWrong` says, by their number. */
function spell(text: string, isWrong: (place: number) => boolean, misspell: (name: string) => string) {
  let sql = "";
  const wrong: Name[] = [];
  text.split(/<(\w+)>/).forEach((part, index) => {
    const isReplaced = index % 2 === 1 && isWrong((index - 1) / 2);
    const start = sql.length;
    sql += isReplaced ? misspell(part) : part;
    if (isReplaced) wrong.push({ start, end: sql.length, right: part });
  });
  return { sql, wrong };
}

function problemsOf(sql: string): readonly unknown[] {
  return diagnosticsOf(sql).map(({ code, span, suggestion }) => ({ code, ...span, right: suggestion }));
}

const expected = (name: Name) => ({ code: "unknown_column", ...name });

describe("a misspelt column", () => {
  it("is the one problem of its query, with the right name as its hint, wherever it stands", () => {
    fc.assert(
      fc.property(steps, fc.nat(), fc.constantFrom(...MISSPELL), (chosen, pick, misspell) => {
        const text = build(chosen);
        const names = text.match(/<\w+>/g)?.length ?? 0;
        const { sql, wrong } = spell(text, (place) => place === pick % names, misspell);
        expect([sql, problemsOf(sql)]).toEqual([sql, wrong.map(expected)]);
        const { sql: right } = spell(text, () => false, misspell);
        expect([right, problemsOf(right)]).toEqual([right, []]);
      }),
      { numRuns: sampleSize(100, 5_000), seed: 20_261_125 },
    );
  });

  it("is never the hint of another, and only misspelt ones are reported", () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 2, max: 9 }), fc.constantFrom(...MISSPELL), (chosen, every, misspell) => {
        const { sql, wrong } = spell(build(chosen), (place) => place % every === 0, misspell);
        const problems = diagnosticsOf(sql);
        expect([sql, problems]).not.toEqual([sql, []]);
        for (const { span, suggestion } of problems) {
          const name = wrong.find(({ start }) => start === span.start);
          expect([sql, span, [name?.right, undefined]]).toEqual([sql, span, expect.arrayContaining([suggestion])]);
        }
      }),
      { numRuns: sampleSize(100, 5_000), seed: 20_261_125 },
    );
  });
});
