import { describe, expect, it } from "vitest";
import { dumpQuery } from "../../../test/support/googlesql/resolver/dump.ts";
import { sandboxed } from "../../../test/support/googlesql/resolver/resolved.ts";
import { GoogleSqlError } from "../diagnostic.ts";
import { formatType, STRING, TIMESTAMP } from "../types.ts";

const SAVED = `WITH
  app_logs AS (SELECT id, timestamp, event_message, metadata FROM logs WHERE id = @project ORDER BY timestamp DESC),
  buyers AS (SELECT o.id, p.name FROM orders o JOIN people p USING (id)),
  names AS (SELECT name FROM buyers)
SELECT id FROM app_logs LIMIT 100`;

const OPTIONS = {
  parameters: new Map([
    ["project", STRING],
    ["start", TIMESTAMP],
  ]),
  aliases: { postgres_logs: "app_logs", "dotted.logs": "app_logs", lost: "nowhere" },
};

function dumpOf(consumer: string): string {
  return dumpQuery(sandboxed(SAVED, consumer, OPTIONS));
}

function errorsOf(consumer: string): readonly string[] {
  try {
    sandboxed(SAVED, consumer, OPTIONS);
  } catch (error) {
    if (!(error instanceof GoogleSqlError)) throw error;
    expect(error.text).toBe(consumer);
    return error.diagnostics.map(
      ({ code, message, span }) => `${code} at "${consumer.slice(span.start, span.end)}": ${message}`,
    );
  }
  return [];
}

describe("a consumer's query in the sandbox", () => {
  it("reads the saved expressions in any case, and preserves their order", () => {
    expect(dumpOf("select ID from App_Logs limit 10")).toMatchInlineSnapshot(`
      "select ID=id#5:STRING
        with
          app_logs(id#1, timestamp#2, event_message#3, metadata#4) =
            filter $equal(id#1, @project:STRING)
              table logs(id#1, timestamp#2, event_message#3, metadata#4)
          limit 10
            order by timestamp#6 desc
              cte app_logs(id#5, timestamp#6, event_message#7, metadata#8)"
    `);
  });

  it("includes only the saved expressions that it reads, directly or through others", () => {
    expect(dumpOf("SELECT name FROM names")).toMatchInlineSnapshot(`
      "select name=name#14:STRING
        with
          buyers(id#1, name#9) =
            inner join on $equal(id#1, id#8)
              table orders(id#1, customer#2, total#3, day#4, placed#5, items#6, doc#7)
              table people(id#8, name#9, score#10)
          names(name#12) =
            cte buyers(id#11, name#12)
          names(name#13) =
            limit 9223372036854775807
              cte names(name#13)
          cte names(name#14)"
    `);
    expect(dumpOf("SELECT 1 AS one")).toMatchInlineSnapshot(`
      "select one=one#1:INT64
        compute 1 as one#1
          one row"
    `);
  });

  it("lists the parameters that it and the saved expressions it reads use", () => {
    expect(sandboxed(SAVED, "SELECT id FROM app_logs WHERE timestamp > @start", OPTIONS).parameters).toEqual([
      { key: "project", type: STRING },
      { key: "start", type: TIMESTAMP },
    ]);
    expect(sandboxed(SAVED, "SELECT name FROM names", OPTIONS).parameters).toEqual([]);
  });

  it("finds aliases, including dotted ones", () => {
    expect(dumpOf("SELECT p.id FROM postgres_logs p").split("\n")[0]).toBe("select id=id#5:STRING");
    expect(dumpOf("SELECT id FROM `dotted.logs`").split("\n")[0]).toBe("select id=id#5:STRING");
  });

  it("may shadow a saved expression for itself, but not for other saved expressions", () => {
    expect(
      dumpOf("WITH buyers AS (SELECT 'mine' AS name) SELECT b.name, n.name FROM buyers b, names n"),
    ).toMatchInlineSnapshot(`
      "select name=name#15:STRING, name_1=name#16:STRING
        with
          buyers(id#1, name#9) =
            inner join on $equal(id#1, id#8)
              table orders(id#1, customer#2, total#3, day#4, placed#5, items#6, doc#7)
              table people(id#8, name#9, score#10)
          names(name#12) =
            cte buyers(id#11, name#12)
          names(name#13) =
            limit 9223372036854775807
              cte names(name#13)
          with
            buyers(name#14) =
              compute "mine" as name#14
                one row
            cross join
              cte buyers(name#15)
              cte names(name#16)"
    `);
    expect(dumpOf("WITH app_logs AS (SELECT id FROM app_logs) SELECT id FROM app_logs")).toMatchInlineSnapshot(`
      "select id=id#9:STRING
        with
          app_logs(id#1, timestamp#2, event_message#3, metadata#4) =
            filter $equal(id#1, @project:STRING)
              table logs(id#1, timestamp#2, event_message#3, metadata#4)
          order by timestamp#10 desc
            with
              app_logs(id#5, timestamp#6) =
                cte app_logs(id#5, timestamp#6, event_message#7, metadata#8)
              cte app_logs(id#9, timestamp#10)"
    `);
  });

  it.each([
    ["a table of the service", "SELECT id FROM orders"],
    ["a source in a join", "SELECT 1 FROM app_logs a JOIN logs b ON TRUE"],
    ["a source in a parenthesised join", "SELECT 1 FROM (app_logs a CROSS JOIN logs b)"],
    ["a quoted source", "SELECT 1 FROM `logs`"],
    ["a source in a scalar sub-query", "SELECT (SELECT COUNT(*) FROM logs)"],
    ["a source in EXISTS", "SELECT 1 FROM app_logs WHERE EXISTS(SELECT 1 FROM logs)"],
    ["a source in IN", "SELECT 1 FROM app_logs WHERE id IN (SELECT id FROM logs)"],
    ["a source in ARRAY", "SELECT ARRAY(SELECT id FROM logs)"],
    ["a source in ORDER BY", "SELECT id FROM app_logs ORDER BY (SELECT MAX(id) FROM logs)"],
    ["a source in HAVING", "SELECT COUNT(*) FROM app_logs HAVING (SELECT TRUE FROM logs)"],
    ["a source in JOIN ON", "SELECT 1 FROM app_logs a JOIN app_logs b ON (SELECT TRUE FROM logs)"],
    ["a source in UNNEST", "SELECT 1 FROM UNNEST((SELECT ARRAY_AGG(id) FROM logs))"],
    ["a source in an own expression", "WITH x AS (SELECT * FROM logs) SELECT * FROM x"],
    ["a source behind its own name", "WITH logs AS (SELECT id FROM logs) SELECT id FROM logs"],
    ["a source in a union", "SELECT id FROM app_logs UNION ALL SELECT id FROM logs"],
    ["a source after a pipe", "FROM app_logs |> JOIN logs USING (id)"],
    ["a source of a pipe's union", "FROM app_logs |> SELECT id |> UNION ALL (SELECT id FROM logs)"],
    ["a source under a pivot", "SELECT * FROM logs PIVOT (COUNT(*) FOR id IN ('a'))"],
    ["an alias of a name that is none", "SELECT 1 FROM lost"],
    ["information about tables", "SELECT 1 FROM INFORMATION_SCHEMA.TABLES"],
  ])("cannot read %s", (_, consumer) => {
    expect(errorsOf(consumer)).toHaveLength(1);
    expect(errorsOf(consumer)[0]).toMatch(/^unknown_table at "(.*)": Table not found: \S+$/);
  });

  it("gets suggestions only from the names of saved expressions", () => {
    expect(errorsOf("SELECT 1 FROM app_log")).toEqual([
      'unknown_table at "app_log": Table not found: app_log; did you mean app_logs?',
    ]);
    expect(errorsOf("SELECT 1 FROM orderss")).toEqual(['unknown_table at "orderss": Table not found: orderss']);
    expect(errorsOf("SELECT idd FROM app_logs")).toEqual([
      'unknown_column at "idd": Unrecognized name: idd; did you mean id?',
    ]);
  });

  it("may use only the declared parameters", () => {
    expect(errorsOf("SELECT @nope, @projekt")).toEqual([
      'unknown_parameter at "@nope": Query parameter @nope is not declared',
      'unknown_parameter at "@projekt": Query parameter @projekt is not declared; did you mean @project?',
    ]);
  });
});

describe("a saved expression whose conditions may fail", () => {
  const isGuarded = (definition: string) =>
    dumpQuery(
      sandboxed(`WITH ${definition} SELECT 1`, "SELECT * FROM c", {
        parameters: new Map([
          ["p", STRING],
          ["start", TIMESTAMP],
        ]),
      }),
    ).includes("limit 9223372036854775807");

  it.each([
    "c AS (SELECT * FROM logs)",
    "c AS (SELECT id, event_message FROM logs WHERE id = @p AND 'a' < event_message ORDER BY timestamp)",
    "c AS (SELECT id FROM logs WHERE (@p IS NULL OR id = @p) AND (timestamp > @start OR @start IS NULL))",
    "c AS (SELECT m.level FROM logs, UNNEST(metadata) AS m WHERE m.level = @p AND timestamp <= @start)",
    "b AS (SELECT id FROM logs WHERE id >= 'a'), c AS (SELECT id FROM b ORDER BY id)",
    "c AS (SELECT UPPER(id) AS u FROM logs)",
    "c AS (SELECT UPPER(id) AS u FROM logs WHERE id = @p)",
  ])("is read as it is where an engine makes them at the table: %s", (definition) => {
    expect(isGuarded(definition)).toBe(false);
  });

  it.each([
    "c AS (SELECT id FROM logs WHERE id != @p)",
    "c AS (SELECT id FROM logs WHERE id = event_message)",
    "c AS (SELECT id FROM logs WHERE @p = 'a')",
    "c AS (SELECT id FROM logs WHERE LENGTH(id) > 3)",
    "c AS (SELECT id FROM logs WHERE UPPER(id) = @p)",
    "c AS (SELECT id FROM logs WHERE id = UPPER(@p))",
    "c AS (SELECT id FROM logs WHERE id = @p AND LENGTH(id) > 3)",
    "c AS (SELECT id FROM logs WHERE id = @p OR id = 'a')",
    "c AS (SELECT id FROM logs WHERE @p IS NULL OR id = @p OR event_message = @p)",
    "c AS (SELECT id FROM logs WHERE event_message IS NULL OR id = @p)",
    "c AS (SELECT id FROM logs WHERE @p IS NOT NULL OR id = @p)",
    "c AS (SELECT id FROM logs WHERE @p IS NULL OR @start IS NULL)",
    "c AS (SELECT id FROM logs WHERE NOT id = @p)",
    "c AS (SELECT id FROM logs WHERE id IN (@p, 'a'))",
    "b AS (SELECT UPPER(id) AS u FROM logs), c AS (SELECT u FROM b WHERE u = @p)",
    "c AS (SELECT id FROM logs LIMIT 5)",
    "c AS (SELECT DISTINCT id FROM logs)",
    "c AS (SELECT id FROM logs UNION ALL SELECT id FROM logs)",
    "c AS (SELECT o.id FROM orders AS o JOIN people AS p USING (id))",
    "c AS (SELECT x FROM UNNEST(['a']) AS x)",
    "c AS (SELECT x FROM logs, UNNEST(SPLIT(id)) AS x)",
    "c AS (SELECT m.level FROM logs LEFT JOIN UNNEST(metadata) AS m ON m.level = @p)",
    "c AS (SELECT 1 AS one)",
  ])("is read behind a limit of all rows otherwise: %s", (definition) => {
    expect(isGuarded(definition)).toBe(true);
  });

  it("keeps its order, and what its fields may be compared with, behind that limit", () => {
    const saved = "WITH c AS (SELECT id FROM logs WHERE LENGTH(id) > 3 ORDER BY timestamp DESC) SELECT 1";
    expect(dumpQuery(sandboxed(saved, "SELECT id FROM c WHERE id = 5"))).toBe(
      [
        "select id=id#7:STRING",
        "  with",
        "    c(id#1, timestamp#2) =",
        "      filter $greater(LENGTH(id#1), 3)",
        "        table logs(id#1, timestamp#2, event_message#3, metadata#4)",
        "    c(id#5, timestamp#6) =",
        "      limit 9223372036854775807",
        "        cte c(id#5, timestamp#6)",
        "    order by timestamp#8 desc",
        "      filter $equal(safe_coerce(id#7 as INT64), 5)",
        "        cte c(id#7, timestamp#8)",
      ].join("\n"),
    );
  });
});

describe("the saved query of a sandbox", () => {
  it("exposes nothing if it has no common table expressions", () => {
    expect(() => sandboxed("SELECT id FROM people", "SELECT id FROM people")).toThrow("Table not found: people");
  });

  it("is quoted in the errors that it causes", () => {
    const saved = "WITH a AS (SELECT nope FROM people) SELECT 1";
    try {
      sandboxed(saved, "SELECT 1");
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(GoogleSqlError);
      expect(error).toHaveProperty("text", saved);
    }
  });
});

describe("a hidden column of the sandbox", () => {
  const saved = `WITH
    a AS (SELECT 1 AS id, "x" AS name, "p" AS Secret),
    b AS (SELECT 1 AS id, "q" AS secret)
    SELECT * FROM a`;
  const read = (consumer: string): string => {
    const options = { hiddenColumns: ["secret"], aliases: { other: "a" } };
    return sandboxed(saved, consumer, options)
      .columns.map(({ name, column }) => (column.type.kind === "STRUCT" ? formatType(column.type) : name))
      .join(", ");
  };
  const row = "STRUCT<id INT64, name STRING>";

  it.each([
    ["SELECT * FROM a", "id, name"],
    ["SELECT a.* FROM a", "id, name"],
    ["SELECT * FROM other", "id, name"],
    ["SELECT other.* FROM other", "id, name"],
    ["SELECT * EXCEPT (id) FROM a", "name"],
    ["SELECT * REPLACE (2 AS id) FROM a", "id, name"],
    ["SELECT DISTINCT * FROM a", "id, name"],
    ["SELECT * FROM (SELECT * FROM a)", "id, name"],
    ["SELECT * FROM a JOIN b USING (id)", "id, name"],
    ["SELECT * FROM a, b", "id, name, id_1"],
    ["SELECT * FROM (a JOIN b ON TRUE)", "id, name, id_1"],
    ["SELECT * FROM a UNION ALL SELECT * FROM a", "id, name"],
    ["WITH c AS (SELECT * FROM a) SELECT * FROM c", "id, name"],
    ["WITH c AS (FROM a) SELECT * FROM c", "id, name"],
    ["SELECT a FROM a", row],
    ["SELECT AS STRUCT a.* FROM a", "id, name"],
    ["SELECT (SELECT AS STRUCT a.*) FROM a", row],
    ["SELECT ANY_VALUE(a) FROM a", row],
    ["SELECT * FROM a PIVOT (MAX(name) FOR id IN (1 AS one))", "one"],
    ["SELECT * FROM a UNPIVOT (v FOR n IN (name))", "id, v, n"],
    ["FROM a", "id, name"],
    ["FROM a |> WHERE secret = 'p'", "id, name"],
    ["FROM a |> EXTEND 1 AS one", "id, name, one"],
    ["FROM a |> SELECT *", "id, name"],
    ["FROM a |> DISTINCT", "id, name"],
    ["FROM a |> AS t |> SELECT t.*", "id, name"],
    ["FROM a |> DROP id", "name"],
    ["FROM a |> SET id = 2", "id, name"],
    ["FROM a |> JOIN b USING (id)", "id, name"],
    ["FROM a |> UNION ALL (FROM a)", "id, name"],
    ["FROM a |> TABLESAMPLE BERNOULLI (10 PERCENT)", "id, name"],
    ["FROM a |> ORDER BY secret |> LIMIT 1", "id, name"],
  ])("is not in %s", (consumer, columns) => {
    expect(read(consumer)).toBe(columns);
  });

  it.each([
    ["SELECT secret FROM a", "secret"],
    ["SELECT *, A.SECRET FROM a", "id, name, SECRET"],
    ["SELECT name FROM a WHERE secret = 'p' ORDER BY secret", "name"],
    ["SELECT * FROM (SELECT id, secret FROM a)", "id, secret"],
    ["SELECT * FROM a JOIN b USING (secret)", "secret, id, name, id_1"],
    ["FROM a |> RENAME secret AS open", "id, name, open"],
    ["FROM a |> SET secret = 'q'", "id, name, Secret"],
    ["FROM a |> AGGREGATE COUNT(*) AS n GROUP BY secret", "secret, n"],
  ])("is read where it is named: %s", (consumer, columns) => {
    expect(read(consumer)).toBe(columns);
  });

  it("is unknown to EXCEPT, and hides nothing of the consumer's own tables", () => {
    expect(() => read("SELECT * EXCEPT (secret) FROM a")).toThrow(
      "Column secret in SELECT * EXCEPT list does not exist",
    );
    expect(read("WITH a AS (SELECT 1 AS secret) SELECT * FROM a")).toBe("secret");
  });
});
