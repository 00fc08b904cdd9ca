/** Date functions. A DATE is DuckDB's own. */
import type { CallExpr } from "../../../../googlesql/resolved.ts";
import { raiseError } from "../../sql-text.ts";
import { computeOnce } from "../compute-once.ts";
import type { CallContext, FunctionTable } from "../types.ts";
import {
  CLOCK_PARTS,
  countBoundaries,
  countWholeUnits,
  DAY_PARTS,
  datePartOf,
  lastDay,
  PART_MICROS,
  truncateDate,
  truncateTimestamp,
} from "./date-parts.ts";
import { formatDate } from "./datetime-text.ts";
import { printMove } from "./interval.ts";
import { printBucket, printSeries } from "./series.ts";
import { CURRENT_INSTANT, isUtc, utcFromWall, wallFromUtc, zoneOf } from "./time-zone.ts";

type Context = CallContext<CallExpr>;

/** DATE_TRUNC, DATETIME_TRUNC and TIMESTAMP_TRUNC of a DATE, DATETIME or TIMESTAMP. */
export function printTruncate({ args, types, call, timeZone }: Context): string {
  const [value = ""] = args;
  const kind = types[0]?.kind;
  const part = datePartOf(call, 1, kind === "DATE" ? DAY_PARTS : [...CLOCK_PARTS, ...DAY_PARTS]);
  if (kind === "DATE") return truncateDate(value, part);
  const zone = zoneOf(args[2], timeZone);
  const isShort = CLOCK_PARTS.slice(0, 3).includes(part.part);
  if (kind === "DATETIME" || isShort || isUtc(zone)) return truncateTimestamp(value, part);
  if (!CLOCK_PARTS.includes(part.part)) return utcFromWall(truncateTimestamp(wallFromUtc(value, zone), part), zone);
  // Hours and minutes are cut on the instant, which a clock that is set back shows twice.
  const unit = PART_MICROS[part.part] ?? 1;
  return computeOnce([value], "trunc", (v) => {
    const wall = `epoch_us(${wallFromUtc(v, zone)})`;
    return `(${v} - to_microseconds((${wall} % ${unit} + ${unit}) % ${unit}))`;
  });
}

/**
 * DATE_DIFF, DATETIME_DIFF and TIMESTAMP_DIFF: boundaries between dates and wall clocks, whole units between
 * instants.
 */
export function printDifference({ args, types, call }: Context): string {
  const [late = "", early = ""] = args;
  const kind = types[0]?.kind;
  if (kind === "TIMESTAMP") return countWholeUnits(late, early, datePartOf(call, 2, [...CLOCK_PARTS, "DAY"]));
  const parts = kind === "DATE" ? DAY_PARTS : [...CLOCK_PARTS, ...DAY_PARTS];
  return countBoundaries(late, early, datePartOf(call, 2, parts));
}

/** LAST_DAY of a DATE or DATETIME. */
function printLastDay({ args, call }: Context): string {
  const parts = ["MONTH", "QUARTER", "YEAR", "WEEK", "ISOWEEK", "ISOYEAR"];
  const month = { kind: "DatePart", part: "MONTH", type: call.type, span: call.span } as const;
  return lastDay(args[0] ?? "", args[1] === undefined ? month : datePartOf(call, 1, parts));
}

/** The checked date of a year, month and day. */
export function makeDate(year: string, month: string, day: string): string {
  return computeOnce([year, month, day], "date", (y, m, d) => {
    const isValid =
      `${y} BETWEEN 1 AND 9999 AND ${m} BETWEEN 1 AND 12 AND ${d} BETWEEN 1 AND 31 ` +
      `AND ${d} <= day(last_day(make_date(${y}, ${m}, 1)))`;
    const message = `printf('Input calculates to invalid date: %04d-%02d-%02d', ${y}, ${m}, ${d})`;
    const isNull = `${y} IS NULL OR ${m} IS NULL OR ${d} IS NULL`;
    return (
      `CASE WHEN ${isNull} THEN NULL WHEN NOT (${isValid}) THEN ${raiseError(message)} ` +
      `ELSE make_date(${y}, ${m}, ${d}) END`
    );
  });
}

function printDate({ args, types, timeZone }: Context): string {
  const [value = ""] = args;
  switch (types[0]?.kind) {
    case "INT64":
      return makeDate(value, args[1] ?? "", args[2] ?? "");
    case "DATE":
      return value;
    case "TIMESTAMP":
      return `CAST(${wallFromUtc(value, zoneOf(args[1], timeZone))} AS DATE)`;
    case "STRING":
      return `lw_date_from_text(${value})`;
    default:
      return `CAST(${value} AS DATE)`;
  }
}

/**
 * Date functions of the reference; *_TRUNC, *_DIFF, *_ADD and *_SUB take DATETIME and TIMESTAMP under any of their
 * names.
 */
export const dateFunctions: FunctionTable = {
  CURRENT_DATE: ({ args, timeZone }) => `CAST(${wallFromUtc(CURRENT_INSTANT, zoneOf(args[0], timeZone))} AS DATE)`,
  DATE: printDate,
  DATE_ADD: (context) => printMove(context, "+"),
  DATE_SUB: (context) => printMove(context, "-"),
  DATE_DIFF: printDifference,
  DATE_TRUNC: printTruncate,
  DATE_BUCKET: printBucket,
  DATE_FROM_UNIX_DATE: ({ args }) =>
    computeOnce([args[0] ?? ""], "unix_date", (v) => {
      const isValid = `${v} BETWEEN -719162 AND 2932896`;
      const message = `concat('Invalid DATE: ', ${v}, ' days from 1970-01-01')`;
      return (
        `CASE WHEN NOT (${isValid}) THEN ${raiseError(message)} ELSE DATE '1970-01-01' + CAST(${v} AS INTEGER) ` + "END"
      );
    }),
  UNIX_DATE: ({ args }) => `date_diff('day', DATE '1970-01-01', ${args[0]})`,
  LAST_DAY: printLastDay,
  FORMAT_DATE: ({ args }) => formatDate(args[0] ?? "", args[1] ?? ""),
  PARSE_DATE: ({ args }) => `lw_parse_date(${args[0]}, ${args[1]})`,
  GENERATE_DATE_ARRAY: (context) => printSeries(context, "to_days(1)"),
};
