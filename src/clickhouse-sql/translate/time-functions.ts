import type { Expression } from "../../googlesql/ast.ts";
import type { Span } from "../../googlesql/diagnostic.ts";
import { binary, call, cast, identifier, integer, text } from "../../lql/sql-nodes.ts";
import type { ChExpression } from "../clickhouse-ast.ts";
import { argument, type CallToTranslate, type FunctionRow, type FunctionRows, row } from "./function-table.ts";
import { isNumber, isTime, type Kind, type Typed, typed } from "./typed.ts";

const secondsOf: Readonly<Record<string, number>> = { SECOND: 1, MINUTE: 60, HOUR: 3_600, DAY: 86_400, WEEK: 604_800 };
const units: readonly string[] = ["MICROSECOND", "MILLISECOND", ...Object.keys(secondsOf), "MONTH", "QUARTER", "YEAR"];

/** The unit of time of a word, in the singular and upper case; undefined where it is none. */
export function readUnit(word: string): string | undefined {
  const upper = word.toUpperCase().replace(/S$/, "");
  return units.includes(upper) ? upper : undefined;
}

/** A value as TIMESTAMP: texts are read, numbers are seconds since 1970. */
export function toTimestamp(value: Typed, span: Span): Expression {
  if (isTime(value)) return value.node;
  if (isNumber(value)) return call("TIMESTAMP_SECONDS", [cast(value.node, "INT64", false, span)], span);
  return cast(value.node, "TIMESTAMP", false, span);
}

/** `INTERVAL n unit` of whole numbers. */
export function toInterval(count: Expression, unit: string, span: Span): Expression {
  return { kind: "Interval", value: count, from: { kind: "DatePart", name: unit, span }, span };
}

const part = (name: string, span: Span): Expression => ({ ...identifier(name, span), isQuoted: false });

/** A time without what is smaller than a unit. */
const cutTo = (unit: string, time: Expression, span: Span) => call("TIMESTAMP_TRUNC", [time, part(unit, span)], span);

const startOf = (unit: string): FunctionRow =>
  row([1, 2], (asked) => {
    refuseZone(asked, 1);
    return typed("seconds", cutTo(unit, toTimestamp(argument(asked, 0), asked.span), asked.span));
  });

const startOfDate = (unit: Expression["kind"] | string): FunctionRow =>
  row([1, 2], (asked) => {
    const { span } = asked;
    const day = call("DATE", [toTimestamp(argument(asked, 0), span)], span);
    return typed("date", call("DATE_TRUNC", [day, part(unit, span)], span));
  });

/** Without what is smaller than so many seconds since 1970. */
function bucket(value: Typed, seconds: number, span: Span): Typed {
  const width = integer(seconds, span);
  const whole = call("DIV", [call("UNIX_SECONDS", [toTimestamp(value, span)], span), width], span);
  return typed("seconds", call("TIMESTAMP_SECONDS", [binary("*", whole, width, span)], span));
}

const bucketOf = (seconds: number): FunctionRow =>
  row([1, 2], (asked) => {
    refuseZone(asked, 1);
    return bucket(argument(asked, 0), seconds, asked.span);
  });

function startOfInterval(asked: CallToTranslate): Typed {
  refuseZone(asked, 2);
  const [, written] = asked.written.args;
  const interval = written === undefined ? undefined : readInterval(written);
  if (interval === undefined) return asked.refuse("The second argument must be an interval such as INTERVAL 5 MINUTE");
  const { count, unit } = interval;
  const seconds = secondsOf[unit];
  if (seconds !== undefined && unit !== "WEEK") return bucket(argument(asked, 0), count * seconds, asked.span);
  if (count !== 1)
    return asked.refuse(`Intervals of ${count} ${unit} are not supported: of days and less they are`, written);
  return startOfDate(unit === "WEEK" ? "ISOWEEK" : unit).translate({ ...asked, args: asked.args.slice(0, 1) });
}

function readInterval(written: ChExpression): { readonly count: number; readonly unit: string } | undefined {
  const [count, unit] =
    written.kind === "interval"
      ? [written.count, written.unit]
      : written.kind === "call" && /^tointerval/i.test(written.name)
        ? [written.args[0], written.name.slice("toInterval".length)]
        : [];
  const number = count?.kind === "number" && /^[1-9]\d{0,8}$/.test(count.text) ? Number(count.text) : undefined;
  const read = readUnit(unit ?? "");
  return number === undefined || read === undefined ? undefined : { count: number, unit: read };
}

/** Times are in UTC. */
function refuseZone(asked: CallToTranslate, index: number): void {
  if (asked.args.length <= index) return;
  const zone = asked.literalText(index);
  if (zone.toUpperCase() !== "UTC") asked.refuse("Times are in UTC here: other zones are not supported");
}

const unix = (name: string): FunctionRow =>
  row([1, 2], (asked) => {
    refuseZone(asked, 1);
    return typed("integer", call(name, [toTimestamp(argument(asked, 0), asked.span)], asked.span));
  });

const toTime = (kind: Kind, args: readonly [number, number]): FunctionRow =>
  row(args, (asked) => {
    const value = argument(asked, 0);
    const time = toTimestamp(value, asked.span);
    const isCut = kind === "seconds" && value.kind !== "seconds";
    return typed(kind, isCut ? cutTo("SECOND", time, asked.span) : time);
  });

const extract = (name: string): FunctionRow =>
  row([1, 2], (asked) => {
    refuseZone(asked, 1);
    const { span } = asked;
    const operand = toTimestamp(argument(asked, 0), span);
    return typed("integer", { kind: "Extract", part: { kind: "DatePart", name, span }, operand, span });
  });

const shift = (name: "TIMESTAMP_ADD" | "TIMESTAMP_SUB", unit: string): FunctionRow =>
  row(2, (asked) => {
    const interval = toInterval(argument(asked, 1).node, unit, asked.span);
    return typed("time", call(name, [toTimestamp(argument(asked, 0), asked.span), interval], asked.span));
  });

/** Codes of formatDateTime, and what FORMAT_TIMESTAMP calls them. */
const formatCodes: Readonly<Record<string, string>> = {
  ...{ Y: "%Y", m: "%m", d: "%d", H: "%H", i: "%M", S: "%S", s: "%S", M: "%B", T: "%T", F: "%F", D: "%D", y: "%y" },
  ...{ e: "%e", j: "%j", R: "%R", a: "%a", W: "%A", b: "%b", I: "%I", p: "%p", n: "\n", t: "\t", "%": "%%" },
};

function formatTime(asked: CallToTranslate): Typed {
  const { span } = asked;
  refuseZone(asked, 2);
  const format = asked.literalText(1).replace(/%(.?)/gsu, (code, letter: string) => {
    return formatCodes[letter] ?? asked.refuse(`${code} is not supported in a format of times`, asked.written.args[1]);
  });
  const args = [text(format, span), toTimestamp(argument(asked, 0), span)];
  return typed("string", call("FORMAT_TIMESTAMP", args, span));
}

function difference(asked: CallToTranslate): Typed {
  const { span } = asked;
  const unit = readUnit(asked.literalText(0));
  if (unit === undefined)
    return asked.refuse("The first argument must be a unit of time as text", asked.written.args[0]);
  const cut = (index: number) => cutTo(unit, toTimestamp(argument(asked, index), span), span);
  return typed("integer", call("TIMESTAMP_DIFF", [cut(2), cut(1), part(unit, span)], span));
}

/** Functions of times. */
export const timeFunctions: FunctionRows = {
  now: row([0, 1], ({ span }) => typed("seconds", cutTo("SECOND", call("CURRENT_TIMESTAMP", [], span), span))),
  now64: row([0, 2], ({ span }) => typed("time", call("CURRENT_TIMESTAMP", [], span))),
  today: row(0, ({ span }) => typed("date", call("CURRENT_DATE", [], span))),
  tostartofsecond: startOf("SECOND"),
  tostartofminute: startOf("MINUTE"),
  tostartofhour: startOf("HOUR"),
  tostartofday: startOf("DAY"),
  tostartoffiveminutes: bucketOf(300),
  tostartoffiveminute: bucketOf(300),
  tostartoftenminutes: bucketOf(600),
  tostartoffifteenminutes: bucketOf(900),
  tostartofinterval: row([2, 3], startOfInterval),
  tostartofweek: startOfDate("WEEK"),
  tomonday: startOfDate("ISOWEEK"),
  tostartofmonth: startOfDate("MONTH"),
  tostartofyear: startOfDate("YEAR"),
  todate: startOfDate("DAY"),
  todatetime: toTime("seconds", [1, 2]),
  todatetime64: toTime("time", [1, 3]),
  parsedatetimebesteffort: toTime("seconds", [1, 2]),
  parsedatetime64besteffort: toTime("time", [1, 3]),
  tounixtimestamp: unix("UNIX_SECONDS"),
  tounixtimestamp64milli: unix("UNIX_MILLIS"),
  tounixtimestamp64micro: unix("UNIX_MICROS"),
  toyear: extract("YEAR"),
  tomonth: extract("MONTH"),
  todayofmonth: extract("DAY"),
  tohour: extract("HOUR"),
  tominute: extract("MINUTE"),
  tosecond: extract("SECOND"),
  subtractdays: shift("TIMESTAMP_SUB", "DAY"),
  subtracthours: shift("TIMESTAMP_SUB", "HOUR"),
  subtractminutes: shift("TIMESTAMP_SUB", "MINUTE"),
  adddays: shift("TIMESTAMP_ADD", "DAY"),
  addhours: shift("TIMESTAMP_ADD", "HOUR"),
  addminutes: shift("TIMESTAMP_ADD", "MINUTE"),
  datediff: row([3, 4], (asked) => {
    refuseZone(asked, 3);
    return difference(asked);
  }),
  formatdatetime: row([2, 3], formatTime),
};
