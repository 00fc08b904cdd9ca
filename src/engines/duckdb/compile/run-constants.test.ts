import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bindCall } from "../../../../test/support/engines/duckdb/compile/bind-call.ts";
import {
  compileText,
  openEdgeDatabase,
  type TestDatabase,
} from "../../../../test/support/engines/duckdb/compile/compile-text.ts";
import { edgeLayout } from "../../../../test/support/engines/duckdb/compile/edge-layout.ts";
import { sampleOf } from "../../../../test/support/sample-size.ts";
import { digestQuery } from "../../../endpoints/call/plan/planned-query.ts";
import { FLOAT64, INT64, type SqlType, STRING, TIMESTAMP } from "../../../googlesql/types.ts";
import type { CompiledQuery, ParameterValue } from "../../contract/query-engine.ts";
import { bindQuery } from "../bind-query.ts";
import type { Connection } from "../driver/connection.ts";
import { ConstantsBinder } from "../host/query/constants.ts";
import { planOf } from "../query-plan.ts";
import type { PrintOptions } from "./compile.ts";

const types: ReadonlyMap<string | number, SqlType> = new Map<string | number, SqlType>([
  ["s", STRING],
  ["n", INT64],
  ["f", FLOAT64],
  ["t", TIMESTAMP],
  ["u", STRING],
]);
type Values = Readonly<Record<string, ParameterValue>>;

const nowUs = BigInt(Date.parse("2026-08-20T10:00:00Z")) * 1000n;
const hourUs = 3_600_000_000n;

const compile = (text: string, options: PrintOptions = {}) => compileText(text, [edgeLayout], types, options);

let edge: TestDatabase;
beforeAll(async () => {
  edge = await openEdgeDatabase();
});
afterAll(() => edge.database.close());

const bind = (query: CompiledQuery, values: Values) =>
  bindCall(
    edge.database.all,
    query,
    query.parameters.map(({ key }) => values[key] ?? null),
  );
/** The conditions of a query over events, as they are printed, and the values that are bound. */
async function conditionOf(condition: string, values: Values = {}) {
  const query = compile(`SELECT id FROM edge_logs WHERE ${condition}`, { nowUs });
  const { sql, parameters } = await bind(query, values);
  return [sql.slice(sql.indexOf("WHERE") + 6), ...parameters.map(({ value }) => value)];
}

describe("a condition on rows", () => {
  it("compares them with a value that is computed before the run", async () => {
    const time = `(t1."timestamp" > CAST($1 AS TIMESTAMP))`;
    const hoursAgo = (hours: bigint) => String(nowUs - hours * hourUs);
    const moved = "timestamp > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL @n * 2 HOUR)";
    expect(await conditionOf(moved, { n: "3" })).toEqual([time, hoursAgo(6n)]);
    expect(await conditionOf(moved)).toEqual([time, null]);
    expect(await conditionOf("timestamp > CAST(@s AS TIMESTAMP)", { s: "2026-08-20 09:00:00" })).toEqual([
      time,
      hoursAgo(1n),
    ]);
    const chosen = "timestamp > TIMESTAMP_SUB(@t, INTERVAL CASE @s WHEN 'day' THEN 24 ELSE 1 END HOUR)";
    expect(await conditionOf(chosen, { s: "day", t: hoursAgo(1n) })).toEqual([time, hoursAgo(25n)]);
  });

  it("does so where nothing of the run is read, and in any time zone", async () => {
    const bound = "TIMESTAMP_ADD(TIMESTAMP '2026-08-20 08:00:00+00', INTERVAL 2 * 60 MINUTE)";
    const paris = "TIMESTAMP(FORMAT('%s 13:00:00', '2026-08-20'), 'Europe/Paris')";
    expect(await conditionOf(`timestamp BETWEEN ${bound} AND ${paris}`)).toEqual([
      `(t1."timestamp" BETWEEN CAST($1 AS TIMESTAMP) AND CAST($2 AS TIMESTAMP))`,
      ...[nowUs, nowUs + hourUs].map(String),
    ]);
  });

  it("computes constants of every type that is bound, whatever their values are", async () => {
    const far = "-62135596800000000";
    const given = { s: "x", t: "253402300799999999", f: "-2", n: "9223372036854775806", u: "\u{10437}" };
    const bound = await conditionOf(
      `timestamp < TIMESTAMP_ADD(@t, INTERVAL 0 DAY) AND timestamp > TIMESTAMP_SUB(@t, INTERVAL ${253402300799999999n + 62135596800000000n} MICROSECOND)
       AND LENGTH(id) < @n + 1 AND LENGTH(id) / 1 > @f * 1 AND LENGTH(id) / 1 < CAST('inf' AS FLOAT64) AND id < @u || @u
       AND DATE(timestamp) > DATE(@t) AND TIME(timestamp) < TIME(@t) AND DATETIME(timestamp) < DATETIME(@t)`,
      given,
    );
    expect(bound.slice(1)).toEqual([
      ...[given.t, far, "9223372036854775807", "-2", "Infinity", "\u{10437}\u{10437}"],
      ...["9999-12-31", "23:59:59.999999", "9999-12-31T23:59:59.999999"],
    ]);
  });

  it("computes what reads no clock once for the same values", async () => {
    const asked: string[] = [];
    const all: Connection["all"] = (sql, values) => {
      asked.push(sql);
      return edge.database.all(sql, values);
    };
    const constants = new ConstantsBinder();
    const ask = async (condition: string, values: readonly ParameterValue[]) => {
      const query = compile(`SELECT id FROM edge_logs WHERE ${condition}`);
      const bound = await constants.bind(bindQuery(query, values), all);
      return [bound?.parameters[0]?.value, asked.length];
    };
    const sum = "LENGTH(id) > @n + 1";
    expect([await ask(sum, ["1"]), await ask(sum, ["1"]), await ask(sum, ["2"])]).toEqual([
      ["2", 1],
      ["2", 1],
      ["3", 2],
    ]);
    const quotient = "LENGTH(id) > DIV(1, @n)";
    expect([await ask(quotient, ["0"]), await ask(quotient, ["0"])]).toEqual([
      [undefined, 3],
      [undefined, 3],
    ]);
    const moved = "timestamp > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL @n HOUR)";
    expect([(await ask(moved, ["1"]))[1], (await ask(moved, ["1"]))[1]]).toEqual([4, 5]);
  });

  it("computes them by a statement that DuckDB plans once", () => {
    const query = compile(
      "SELECT id FROM edge_logs WHERE timestamp > TIMESTAMP_SUB(@t, INTERVAL IF(@n > 1, @n, 2 * @n) HOUR)",
    );
    const { sql = "", columns } = planOf(query).statement?.constants?.statement ?? {};
    expect(sql.match(/\$\d+/g)).toEqual(["$1", "$2"]);
    expect(sql.slice(sql.indexOf(" FROM ("))).toBe(
      " FROM (SELECT CAST($1 AS TIMESTAMP[])[1] AS p1, CAST($2 AS BIGINT[])[1] AS p2) AS lw_run",
    );
    expect(columns).toHaveLength(1);
  });

  it("needs no statement for the clock alone", () => {
    const query = compile("SELECT id FROM edge_logs WHERE timestamp < CURRENT_TIMESTAMP()");
    expect(planOf(query).statement?.constants).toEqual({ places: [0] });
  });

  it("binds what stands in two places once, and parameters that are read only by constants not at all", async () => {
    const query = compile("WITH e AS (SELECT id FROM edge_logs WHERE id > CONCAT(@s, 'x')) SELECT 1 FROM e, e AS f");
    expect(query.parameters.map(({ key }) => key)).toEqual(["s"]);
    expect((await bind(query, { s: "a" })).parameters.map(({ value }) => value)).toEqual(["ax"]);
  });

  it("takes no parameter for a constant or the clock, whatever its name is", async () => {
    const names = ["constant 0", "the clock", "-1", "0", "1"];
    const conditions = names.map((name) => `id != @\`${name}\``).join(" AND ");
    const query = compileText(`SELECT CURRENT_TIME() FROM edge_logs WHERE ${conditions}
      AND id > CONCAT(@\`constant 0\`, 'x') AND timestamp < TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 HOUR)`);
    const given = Object.fromEntries(names.map((name) => [name, `value of ${name}`]));
    const values = (await bind(query, given)).parameters.map(({ value }) => value);
    const [now, ...rest] = values;
    expect(rest).toEqual([
      ...names.map((name) => given[name]),
      "value of constant 0x",
      String(BigInt(`${now}`) - hourUs),
    ]);
  });

  it("is told apart from others of the same SQL by what is computed", () => {
    const conditions = [
      ...["HOUR", "DAY"].map((part) => `timestamp > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 ${part})`),
      ...["@s", "@u"].map((name) => `timestamp > CAST(${name} AS TIMESTAMP)`),
      "timestamp > TIMESTAMP_SECONDS(@n)",
      "timestamp > TIMESTAMP_SUB(@t, INTERVAL 1 HOUR)",
    ];
    const queries = conditions.map((condition) => compile(`SELECT id FROM edge_logs WHERE ${condition}`));
    expect(new Set(queries.map(({ sql }) => sql)).size).toBe(1);
    expect(new Set(queries.map(digestQuery)).size).toBe(queries.length);
    const moved = conditions.map((condition) => compile(`SELECT  id FROM edge_logs WHERE (${condition})`));
    expect(moved.map(digestQuery)).toEqual(queries.map(digestQuery));
  });

  it("finds an event by an id that is computed", async () => {
    const query = compile("SELECT 1 FROM edge_logs WHERE project = @s AND id = CONCAT(@s, @u)");
    expect(planOf(query).statement?.idConditions).toEqual([{ table: "events_1", id: 1 }]);
    expect((await bind(query, { s: "a", u: "7" })).parameters.map(({ value }) => value)).toEqual([
      "a",
      "a7",
      expect.any(String),
      expect.any(String),
    ]);
  });

  it("tells the engine host which values move with the clock", () => {
    const newest = (condition: string) =>
      planOf(compile(`SELECT id, timestamp FROM edge_logs WHERE ${condition} ORDER BY timestamp DESC LIMIT 5`))
        .statement?.rows?.clockValues;
    expect(newest("id > @s AND timestamp > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL @n HOUR)")).toEqual([1]);
    expect(newest("timestamp > TIMESTAMP_SUB(@t, INTERVAL @n HOUR)")).toBeUndefined();
  });

  it("tells the engine host which of them events are newer and older than", () => {
    const query = compile(
      "SELECT id FROM edge_logs WHERE project = @s AND timestamp > TIMESTAMP_SUB(@t, INTERVAL @n HOUR) AND @t >= timestamp " +
        "ORDER BY timestamp DESC LIMIT 5",
    );
    expect(planOf(query).statement?.newest).toMatchObject({ from: [1], until: [2] });
  });
});

/** Conditions of every kind, in every place; each with values for which a constant fails. */
const queries: readonly string[] = [
  ...[
    "timestamp > CAST(@s AS TIMESTAMP) ; timestamp > SAFE_CAST(@s AS TIMESTAMP) ; timestamp < TIMESTAMP_ADD(@t, INTERVAL @n DAY)",
    "timestamp BETWEEN TIMESTAMP_TRUNC(@t, DAY) AND TIMESTAMP_ADD(TIMESTAMP_TRUNC(@t, DAY), INTERVAL @n DAY)",
    "timestamp IN (@t, CAST(@s AS TIMESTAMP)) ; DATE(timestamp) >= DATE_SUB(DATE(@t), INTERVAL @n MONTH)",
    "@s = '' OR timestamp > CAST(@s AS TIMESTAMP) ; @s != '' AND timestamp > CAST(@s AS TIMESTAMP)",
    "IF(@n > 1, LENGTH(id) = DIV(4, @n - 1), TRUE) ; LENGTH(id) = IF(@n = 0, 1, DIV(2, @n)) ; NOT (LENGTH(id) < @n + 1)",
    "CASE WHEN id = 'a' THEN LENGTH(id) = DIV(@n, 0) ELSE LENGTH(id) >= @n END ; id > COALESCE(NULLIF(@s, ''), 'a')",
    "0.5 + LENGTH(id) > @f * 2 ; LENGTH(id) / 2 < @f / @n ; CAST(@s AS FLOAT64) < LENGTH(id) ; LENGTH(id) IN (@n - 1, 1 + @n)",
    "id LIKE CONCAT(@s, '%') ; REGEXP_CONTAINS(id, CONCAT('^', @s)) ; STARTS_WITH(id, @s || 'b') ; id = CONCAT(@s, '')",
    "EXISTS (SELECT 1 FROM UNNEST([1, 2]) AS x WHERE x > CAST(@s AS INT64) OR x = LENGTH(edge_logs.id) + @n - 1)",
    "id IN (SELECT o.id FROM edge_logs AS o WHERE o.timestamp > TIMESTAMP_SUB(@t, INTERVAL @n HOUR))",
    "(SELECT COUNT(*) FROM edge_logs AS o WHERE o.id < edge_logs.id AND LENGTH(o.id) = @n - 1 + 1) > @n - 1",
    "metadata[SAFE_OFFSET(@n - 1)].request[0].port > CAST(@s AS INT64) ; TRUE AND (@n + 1 = 2 OR id = 'b')",
    "timestamp > CURRENT_TIMESTAMP() OR timestamp < TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL @n * 1000000 HOUR)",
  ].flatMap((texts) =>
    texts.split(" ; ").map((condition) => `SELECT id FROM edge_logs WHERE ${condition} ORDER BY id`),
  ),
  "SELECT a.id, b.id FROM edge_logs AS a JOIN edge_logs AS b ON a.id = b.id AND LENGTH(a.id) = CAST(@s AS INT64) ORDER BY 1",
  "SELECT a.id, b.id FROM edge_logs AS a LEFT JOIN edge_logs AS b ON a.timestamp > TIMESTAMP_SUB(b.timestamp, INTERVAL @n - 1 DAY) ORDER BY 1, 2",
  "SELECT id, x FROM edge_logs JOIN UNNEST([1, 2, NULL]) AS x ON x > DIV(@n, @n) ORDER BY 1, 2",
  "SELECT project, COUNT(*) AS n FROM edge_logs GROUP BY project HAVING COUNT(*) > DIV(@n, CAST(@s AS INT64)) ORDER BY 1",
  "SELECT id FROM edge_logs QUALIFY ROW_NUMBER() OVER (ORDER BY id) <= @n + CAST(@s AS INT64) ORDER BY id",
  "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 2 * @n) SELECT COUNT(*) FROM r",
  "WITH v AS (SELECT id FROM edge_logs WHERE timestamp > CAST(@s AS TIMESTAMP)) SELECT id FROM v UNION ALL SELECT id FROM v ORDER BY 1",
  "FROM edge_logs |> WHERE timestamp > TIMESTAMP_SUB(@t, INTERVAL CAST(@s AS INT64) DAY) |> SELECT id, @n + 1 AS m |> ORDER BY id",
];

const someTexts = [null, "", "1", "0", "a", "(", "2026-08-20T09:00:00Z", "none", "9999-12-31"];
const someNumbers = [null, "0", "1", "3", "-2", "9223372036854775807"];
const someFloats = [null, "0", "0.75", "inf", "-inf", "nan"];
const someTimes = [null, String(nowUs), "-62135596800000000", "253402300799999999"];
const values: readonly Values[] = someTexts.flatMap((s, at) =>
  someNumbers.map((n, place) => {
    const [f, t] = [someFloats[(at + place) % someFloats.length] ?? null, someTimes[(at * 2 + place) % 4] ?? null];
    return { s, n, f, t };
  }),
);

describe("a query with constants bound", () => {
  async function ask(query: CompiledQuery, given: Values): Promise<unknown> {
    try {
      const { sql, parameters } = await bind(query, given);
      return await edge.database.encode(sql, query.columns, "cells", parameters);
    } catch (error) {
      return String(error);
    }
  }

  it.each(queries)("returns what it does with nothing computed beforehand: %s", async (text) => {
    const [bound, perRow] = [compile(text), compile(text, { bindsConstants: false })];
    expect(bound.sql).not.toBe(perRow.sql);
    const differing: unknown[] = [];
    for (const given of sampleOf(values, 0.05)) {
      const [answer, expected] = [await ask(bound, given), await ask(perRow, given)];
      if (JSON.stringify(answer) !== JSON.stringify(expected)) differing.push([given, answer, expected]);
    }
    expect(differing).toEqual([]);
  });

  it("reads one instant of the clock everywhere", async () => {
    const paris = "TIMESTAMP(CURRENT_DATETIME('Europe/Paris'), 'Europe/Paris')";
    const text = `SELECT COUNT(*), COUNT(DISTINCT CURRENT_TIMESTAMP()) FROM edge_logs, UNNEST(GENERATE_ARRAY(1, 5000))
      WHERE TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL @n HOUR) = TIMESTAMP_SUB(${paris}, INTERVAL @n HOUR)`;
    expect(await edge.rows(text, { n: "2" })).toEqual([[20_000, 1]]);
    const column = "SELECT MAX(CURRENT_TIMESTAMP()) = MAX(c) FROM (SELECT CURRENT_TIMESTAMP() AS c FROM edge_logs";
    expect(
      await edge.rows(`${column} WHERE timestamp < TIMESTAMP_ADD(CURRENT_TIMESTAMP(), INTERVAL @n DAY))`, { n: "1" }),
    ).toEqual([[true]]);
  });
});
