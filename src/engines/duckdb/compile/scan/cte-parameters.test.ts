import { afterAll, expect, it } from "vitest";
import { parseQuery } from "../../../../googlesql/parse.ts";
import { resolveQuery } from "../../../../googlesql/resolver/resolve.ts";
import { STRING } from "../../../../googlesql/types.ts";
import { openScratchEngine } from "../../scratch-engine.ts";

const engine = await openScratchEngine();

afterAll(() => engine.close());

it.each([
  ["WITH w AS (SELECT @p AS x) SELECT x FROM w UNION ALL SELECT x FROM w LIMIT 10", [["v"], ["v"]]],
  ["WITH w AS (SELECT UPPER(@p) AS x), u AS (SELECT x FROM w) SELECT a.x, b.x FROM u a, u b", [["V", "V"]]],
  [
    "WITH w AS (SELECT e FROM UNNEST([@p, 'z']) AS e) SELECT e FROM w UNION DISTINCT SELECT e FROM w ORDER BY 1",
    [["v"], ["z"]],
  ],
  [
    "WITH w AS (SELECT 1 AS one), u AS (SELECT @p AS x FROM w) SELECT x FROM u UNION ALL SELECT x FROM u",
    [["v"], ["v"]],
  ],
])("a parameter in a common table expression has its value in every reference: %s", async (text, rows) => {
  const query = resolveQuery(parseQuery(text), text, { tables: engine.tables, parameters: new Map([["p", STRING]]) });
  expect(JSON.parse(await engine.run(engine.compile(query, { text }), ["v"], 60_000))).toEqual(rows);
});
