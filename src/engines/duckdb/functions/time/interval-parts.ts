import { textSql } from "../../sql/atoms.ts";
import { type Sql, sql } from "../../sql/sql.ts";
import { computeOnce } from "../compute-once.ts";

/** The three fields of a DuckDB INTERVAL, each as a BIGINT. Days and hours do not spill into one another. */
export interface IntervalPartsSql {
  /** Years among them. */
  readonly months: Sql;
  readonly days: Sql;
  /** Hours, minutes and seconds. */
  readonly micros: Sql;
}

/** Prints the fields of an interval, which stands in each of them. */
export function intervalParts(interval: Sql): IntervalPartsSql {
  const clock = (part: string) => sql`datepart(${textSql(part)}, ${interval})`;
  return {
    months: sql`(datepart('year', ${interval}) * 12 + datepart('month', ${interval}))`,
    days: sql`datepart('day', ${interval})`,
    micros: sql`(${clock("hour")} * 3600000000 + ${clock("minute")} * 60000000 + ${clock("microsecond")})`,
  };
}

/**
 * Prints the length of an interval for comparisons, in microseconds: a month is 30 days, a day 24 hours. DuckDB
 * compares intervals in this way if their fields have one sign, and sorts them by their fields in an aggregate or a
 * window.
 */
export function intervalLength(interval: Sql): Sql {
  return computeOnce([interval], "length", (x) => {
    const { months, days, micros } = intervalParts(x);
    return sql`CAST(${months} * 30 + ${days} AS HUGEINT) * 86400000000 + ${micros}`;
  });
}
