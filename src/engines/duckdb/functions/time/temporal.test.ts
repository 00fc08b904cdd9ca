import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type MemoryDatabase,
  openMemoryDatabase,
} from "../../../../../test/support/engines/duckdb/driver/memory-database.ts";
import { printSql } from "../../../../../test/support/engines/duckdb/sql/printed-sql.ts";
import type { Expr } from "../../../../googlesql/resolved.ts";
import { DATE, DATETIME, INTERVAL, type SqlType, STRING, TIMESTAMP } from "../../../../googlesql/types.ts";
import { storedColumnOf, textSql, variableSql } from "../../sql/atoms.ts";
import { type Sql, sql } from "../../sql/sql.ts";
import { quoteString } from "../../sql-text.ts";
import { printCast } from "../cast/cast.ts";
import { formatTimestamp } from "./temporal-texts.ts";
import { timeFunctions } from "./time-functions.ts";
import { utcFromWall, wallFromUtc } from "./time-zone.ts";

const TS = variableSql("ts");
const span = { start: 0, end: 0 };

/** An argument of a printed call: SQL with its type, or a date part. */
type Argument = readonly [Sql, SqlType] | { readonly part: string };

function printCall(name: string, type: SqlType, ...given: readonly Argument[]): string {
  const isPart = (argument: Argument): argument is { readonly part: string } => "part" in argument;
  const parameter = (argumentType: SqlType): Expr => ({ kind: "Parameter", key: 1, type: argumentType, span });
  const expressions = given.map(
    (argument): Expr =>
      isPart(argument)
        ? { kind: "DatePart", part: argument.part, type: { kind: "UNKNOWN" }, span }
        : argument[1].kind === "INTERVAL"
          ? { kind: "Literal", type: INTERVAL, value: "0-0 1 0:0:0", span }
          : parameter(argument[1]),
  );
  const row = timeFunctions[name];
  if (row === undefined) throw new Error(`No row for ${name}`);
  const printed = row({
    args: given.map((argument) => (isPart(argument) ? textSql(argument.part) : argument[0])),
    types: expressions.map((expression) => expression.type),
    type,
    call: { kind: "Call", function: name, arguments: expressions, isSafe: false, type, span },
    timeZone: "UTC",
  });
  return printSql(printed);
}

describe("the printer of date and time functions", () => {
  const column = storedColumnOf("t", "timestamp");
  const ts: Argument = [column, TIMESTAMP];

  it.each([
    ["TIMESTAMP_TRUNC", TIMESTAMP, [ts, { part: "DAY" }], `date_trunc('day', t."timestamp")`],
    ["TIMESTAMP_TRUNC", TIMESTAMP, [ts, { part: "MICROSECOND" }], `t."timestamp"`],
    ["UNIX_MICROS", { kind: "INT64" }, [ts], `epoch_us(t."timestamp")`],
    ["$extract", { kind: "INT64" }, [ts, { part: "HOUR" }], `datepart('hour', t."timestamp")`],
  ] satisfies readonly (readonly [string, SqlType, readonly Argument[], string])[])(
    "prints %s as DuckDB's native function",
    (name, type, given, expected) => {
      expect(printCall(name, type, ...given)).toBe(expected);
    },
  );

  it("prints a cast between TIMESTAMP and DATETIME in UTC as its operand", () => {
    const cast = (from: SqlType, to: SqlType) =>
      printSql(printCast({ operand: variableSql("x"), from, to, isSafe: false, timeZone: "UTC" }));
    expect(cast(TIMESTAMP, DATETIME)).toBe("x");
    expect(cast(DATETIME, TIMESTAMP)).toBe("x");
    expect(cast(TIMESTAMP, DATE)).toBe("CAST(x AS DATE)");
  });

  it("rejects a date part that the type does not have", () => {
    expect(() => printCall("DATE_TRUNC", DATE, [variableSql("d"), DATE], { part: "HOUR" })).toThrow(
      "DATE_TRUNC does not support the HOUR date part for DATE",
    );
  });
});

describe("date and time functions on DuckDB", () => {
  let database: MemoryDatabase;

  beforeAll(async () => {
    database = await openMemoryDatabase();
    await database.query("CREATE TABLE t AS SELECT TIMESTAMP '2024-01-01' + to_hours(i) AS ts FROM range(20000) r(i)");
    await database.query(
      "CREATE TABLE instants AS SELECT TIMESTAMP '1000-01-01' + to_days(CAST(i * 97 % 3280000 AS INTEGER)) + " +
        "to_seconds(i * 7919 % 86400) AS ts FROM range(5000) r(i)",
    );
  });

  afterAll(() => {
    database.close();
  });

  async function plan(predicate: string): Promise<string> {
    const { rows: lines } = await database.query(`EXPLAIN SELECT count(*) FROM t WHERE ${predicate}`);
    // The boxes of the plan wrap words over several lines.
    return lines.flat().join("").replace(/[│\s]/g, "");
  }

  it("filter by an instant computed from a constant just like by a literal", async () => {
    const since = printCall(
      "TIMESTAMP_SUB",
      TIMESTAMP,
      [sql`make_timestamp(1705000000000000)`, TIMESTAMP],
      [sql`to_days(CAST(1 AS INTEGER))`, INTERVAL],
    );
    expect(await plan(`ts >= ${since}`)).toContain("Filters:ts>='2024-01-10");
    const day = printSql(printCast({ operand: TS, from: TIMESTAMP, to: DATE, isSafe: false, timeZone: "UTC" }));
    expect(await plan(`${day} = DATE '2024-01-05'`)).toContain("Filters:ts>='2024-01-0500:00:00'");
  });

  it.each(["HOUR", "MINUTE", "SECOND"])(
    "truncate instants to the %s by the calendar, before 1970 too",
    async (part) => {
      const cut = printCall("TIMESTAMP_TRUNC", TIMESTAMP, [variableSql("instant"), TIMESTAMP], { part });
      const { rows: wrong } = await database.query(
        `SELECT instant FROM (SELECT ts - to_microseconds(us) AS instant FROM instants, unnest([0, 1, 999999, 123456789]) u(us))
       WHERE ${cut} IS DISTINCT FROM date_trunc('${part}', instant)`,
      );
      expect(wrong).toEqual([]);
    },
  );

  it.each(["America/Los_Angeles", "Europe/Berlin", "America/Havana", "Australia/Lord_Howe", "Asia/Kathmandu"])(
    "find the same local times and instants in %s as the JavaScript functions",
    async (zone) => {
      const quoted = quoteString(zone);
      const wall = printSql(wallFromUtc(TS, textSql(zone)));
      const utc = printSql(utcFromWall(TS, textSql(zone)));
      const { rows: found } = await database.query(
        `SELECT count(*), count(*) FILTER (${wall} <> lw_wall_from_utc(ts, ${quoted})), ` +
          `count(*) FILTER (${utc} <> lw_utc_from_wall(ts, ${quoted})) FROM t`,
      );
      expect(found).toEqual([[20000n, 0n, 0n]]);
    },
  );

  it("format timestamps natively just like the JavaScript function", async () => {
    const format = textSql("%a %A %b %B %d %F %G %H %I %j %m %M %p %R %S %T %u %U %V %w %W %Y %y %%");
    const native = printSql(formatTimestamp(format, TS, textSql("UTC")));
    expect(native).toContain("strftime");
    const { rows: found } = await database.query(
      `SELECT count(*) FILTER (${native} <> lw_format_timestamp(${printSql(format)}, ts, 'UTC')) FROM instants`,
    );
    expect(found).toEqual([[0n]]);
  });

  it("return NULL for a safe cast that the zone moves out of the calendar", async () => {
    const first = sql`TIMESTAMP '0001-01-01 00:00:00'`;
    for (const timeZone of ["-08:00", "America/Los_Angeles"]) {
      const cast = (isSafe: boolean) => printCast({ operand: first, from: TIMESTAMP, to: DATETIME, isSafe, timeZone });
      expect((await database.query(`SELECT ${printSql(cast(true))}`)).rows).toEqual([[null]]);
      await expect(database.query(`SELECT ${printSql(cast(false))}`)).rejects.toThrow("out of the range");
    }
  });

  it("write timestamps natively just like the JavaScript function, and read them back", async () => {
    const text = printSql(printCast({ operand: TS, from: TIMESTAMP, to: STRING, isSafe: false, timeZone: "UTC" }));
    const { rows: found } = await database.query(
      `SELECT count(*) FILTER (${text} <> lw_timestamp_to_text(ts, 'UTC')), ` +
        `count(*) FILTER (lw_timestamp_from_text(${text}, 'UTC') <> ts) FROM instants`,
    );
    expect(found).toEqual([[0n, 0n]]);
  });
});
