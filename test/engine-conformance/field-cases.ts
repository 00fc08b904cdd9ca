/** Fields in every form that events bring, and integers beyond 64 bits. */
import { strict as assert } from "node:assert";
import { eventOf } from "./bench.ts";
import type { ConformanceCase } from "./conformance-case.ts";
import { idsCase, loadEvents, queryCase, wide } from "./stored-events.ts";

const fields: readonly ConformanceCase[] = [
  idsCase("a field that was number and text", "FROM forms t, UNNEST(metadata) m WHERE m.status = '200'", "0 1"),
  idsCase("a path below a record", "FROM forms t, UNNEST(metadata) m, UNNEST(m.request) r WHERE r.path = '/b'", "1"),
  idsCase(
    "a value of an array of scalars",
    "FROM forms t, UNNEST(metadata) m, UNNEST(m.request) r WHERE 'y' IN UNNEST(r.tags)",
    "0",
  ),
  idsCase("a record that only some carry", "FROM forms t, UNNEST(metadata) m, UNNEST(m.request) r", "0 1"),
  idsCase(
    "every element of an array of objects",
    "FROM forms t, UNNEST(metadata) m, UNNEST(m.spans) s WHERE s.n > 1",
    "0 1 3",
  ),
  idsCase(
    "a record in a field where earlier events had text",
    "FROM forms t, UNNEST(metadata) m, UNNEST(m.shape) s, UNNEST(s.deep) d WHERE d.er = 'yes'",
    "3",
  ),
  idsCase(
    "a field of four types compared as text",
    "FROM forms t, UNNEST(metadata) m WHERE m.mixed IN ('1', 'true', '1.5', 'text')",
    "0 1 2 3",
  ),
  idsCase("a top-level field with texts and numbers", "FROM forms t WHERE project = '7'", "3"),
  idsCase("a field that no event has carried", "FROM forms t, UNNEST(metadata) m WHERE m.never IS NULL", "0 1 2 3"),
  idsCase(
    "an integer that a double cannot represent",
    "FROM forms t, UNNEST(metadata) m WHERE m.large = 9007199254740993",
    "2",
  ),
  queryCase("a field with records in some events and texts in others", "SELECT level FROM forms ORDER BY id", [
    { level: null },
    { level: null },
    { level: null },
    { level: [{ name: "info" }] },
    { level: "plain" },
  ]),
  queryCase(
    "groups of a field with records and texts",
    "SELECT level, COUNT(*) AS n FROM forms GROUP BY level ORDER BY n, TO_JSON_STRING(level)",
    [
      { level: "plain", n: 1 },
      { level: [{ name: "info" }], n: 1 },
      { level: null, n: 3 },
    ],
  ),
  queryCase(
    "a field with records and texts, and one below it, through a join, a union and a limited sub-query",
    `WITH f AS (SELECT * FROM forms ORDER BY id DESC LIMIT 3)
      SELECT a.id, b.level, a.project, b.level.name AS name FROM f AS a LEFT JOIN forms AS b ON a.id = b.id
      UNION ALL SELECT 'x', level, project, NULL FROM f WHERE id = '4' ORDER BY id`,
    [
      { id: "2", level: null, project: "q", name: null },
      { id: "3", level: [{ name: "info" }], project: 7, name: "info" },
      { id: "4", level: "plain", project: null, name: null },
      { id: "x", level: "plain", project: null, name: null },
    ],
  ),
  queryCase("records as arrays of one object, in their original form", "SELECT metadata FROM forms ORDER BY id", [
    { metadata: [{ status: 200, request: [{ path: "/a", tags: ["x", "y"] }], mixed: 1, spans: [{ n: 1 }, { n: 2 }] }] },
    { metadata: [{ status: "200", request: [{ path: "/b" }], mixed: true, spans: [{ n: 3 }] }] },
    // JSON.parse rounds it; another case checks its digits.
    { metadata: [{ status: 404, mixed: 1.5, large: 9007199254740992, shape: "text" }] },
    { metadata: [{ mixed: "text", shape: [{ deep: [{ er: "yes" }] }], spans: [{ n: 4 }] }] },
    { metadata: [] },
  ]),
  queryCase(
    "a record under several names, and what is below them",
    `WITH f AS (SELECT id, r AS a, r AS b, m AS c, m FROM forms t LEFT JOIN UNNEST(metadata) m LEFT JOIN UNNEST(m.request) r)
      SELECT a, b, b.path AS path, c.status = m.status AS one FROM f WHERE id IN ('1', '2') ORDER BY id`,
    [
      { a: { path: "/b" }, b: { path: "/b" }, path: "/b", one: true },
      { a: null, b: null, path: null, one: true },
    ],
  ),
  queryCase("the sum of a field with integers and floats", "SELECT SUM(ms) AS total, COUNT(*) AS c FROM calls", [
    { total: 82.5, c: 5 },
  ]),
];

const wideCases: readonly ConformanceCase[] = [
  ...(
    [
      ["the top level", "n", `${wide}`, "5"],
      ["a record", "m[0].n", `${wide}`, "5"],
      ["a list", "m[0].list", `[${wide},1]`, "[2]"],
      ["the largest unsigned 64-bit integer", "u", `${2n ** 64n - 1n}`, "7"],
    ] as const
  ).map(
    ([place, path, first, second]): ConformanceCase => ({
      name: `returns every digit of an integer beyond 64 bits in ${place}`,
      async run(bench) {
        await loadEvents(bench);
        const texts = `SELECT TO_JSON_STRING(${path}) AS text FROM widths ORDER BY id`;
        assert.deepEqual(await bench.askValues(texts), [first, second]);
        const answer = await bench.askText(`SELECT ${path} AS value FROM widths ORDER BY id`);
        assert.equal(answer, `[{"value":${first}},{"value":${second}}]`);
      },
    }),
  ),
  ...(
    [
      [`CAST(n AS BIGNUMERIC) = BIGNUMERIC '${wide}'`, "0"],
      [`n = BIGNUMERIC '${wide}'`, "0"],
      [`n = BIGNUMERIC '${wide + 1n}'`, ""],
      [`m[0].n > BIGNUMERIC '${wide - 1n}'`, "0"],
      ["n > 9223372036854775807", "0"],
      ["n < 9223372036854775807", "1"],
      ["u = NUMERIC '18446744073709551615'", "0"],
      ["u = '18446744073709551615'", "0"],
      ["u = 7 AND n = 5", "1"],
      ["SAFE_CAST(n AS INT64) IS NULL", "0"],
    ] as const
  ).map(([condition, ids]) => idsCase(condition, `FROM widths t WHERE ${condition}`, ids)),
];

/** More than have columns, so that some are read from the JSON. */
const manyFields = Object.fromEntries(
  Array.from({ length: 700 }, (_, index) => [`f${index}`, index % 2 === 0 ? index : `text ${index}`]),
);

const manyCases: readonly ConformanceCase[] = [
  ["as a row", "SELECT t.* EXCEPT (id, timestamp, event_message) FROM"],
  ["as a struct", "SELECT AS STRUCT t.* EXCEPT (id, timestamp, event_message) FROM"],
  ["by a CTE of structs", "WITH v AS (SELECT AS STRUCT f1, t.* EXCEPT (id, timestamp, event_message, f1) FROM"],
  ["by a star of what is computed", "SELECT IF(f0 = 0, t, NULL).* EXCEPT (id, timestamp, event_message) FROM"],
  ["as JSON text", "SELECT TO_JSON_STRING(t) AS json FROM"],
].map(
  ([how = "", query = ""]): ConformanceCase => ({
    name: `writes out an event of 700 fields ${how}`,
    async run(bench) {
      const source = await bench.makeSource();
      await bench.append(source, [eventOf("0", manyFields)]);
      const [row] = await bench.ask(`${query} ${source} AS t${query.startsWith("WITH") ? ") SELECT * FROM v" : ""}`);
      const { json, ...columns } = row as Record<string, unknown>;
      const written = typeof json === "string" ? (JSON.parse(json) as Record<string, unknown>) : columns;
      assert.deepEqual({ ...written, ...manyFields }, written);
    },
  }),
);

export const fieldCases: readonly ConformanceCase[] = [...fields, ...wideCases, ...manyCases];
