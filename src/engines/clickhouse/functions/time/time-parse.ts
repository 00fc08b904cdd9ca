/**
 * Dates and times from texts, by formats that a regular expression reads as the language does: each number is followed
 * by a character that is no digit, so that nothing has to be tried twice.
 */
import { MAX_MICROS, MIN_MICROS } from "../../../../values/calendar.ts";
import { numberSql, textSql } from "../../sql/atoms.ts";
import { EMPTY, joinSql, type Sql, sql } from "../../sql/sql.ts";
import { literalOf } from "../rows.ts";
import type { CallContext } from "../types.ts";
import { clockOf, DAY, daysFromCivil, daysOf, lastDayOfMonth } from "./calendar.ts";

const SPACE = "[\\t\\n\\v\\f\\r ]*";

type Field = "year" | "month" | "day" | "hour" | "minute" | "second" | "fraction" | "zone";

interface Piece {
  readonly pattern: string;
  readonly fields: readonly Field[];
  /**
   * The text that may continue it: digits, digits and a point, or anything; the next piece has to be something else.
   */
  readonly endsIn: "number" | "fraction" | "zone" | "text";
}

const number = (field: Field, most = 2): Piece => {
  return { pattern: `([0-9]{1,${most}})`, fields: [field], endsIn: "number" };
};

const ELEMENTS: Readonly<Record<string, Piece>> = {
  // A fifth digit makes it none of the years that there are.
  "%Y": number("year", 5),
  "%m": number("month"),
  "%d": number("day"),
  "%H": number("hour"),
  "%M": number("minute"),
  "%S": number("second"),
  "%E*S": {
    pattern: "([0-9]{1,2})(?:\\.([0-9]+))?",
    fields: ["second", "fraction"],
    endsIn: "fraction",
  },
  "%Ez": { pattern: "(Z|[+-][0-9]{2}:?(?:[0-9]{2})?)", fields: ["zone"], endsIn: "zone" },
  "%%": { pattern: "%", fields: [], endsIn: "text" },
};

/** Elements that are written with others, which spaces may stand before. */
const COMPOSITE: Readonly<Record<string, readonly [readonly Piece[], string]>> = {
  "%F": [[number("year", 4), number("month"), number("day")], "-"],
  "%R": [[number("hour"), number("minute")], ":"],
  "%T": [[number("hour"), number("minute"), number("second")], ":"],
};

function composite(token: string): Piece | undefined {
  const found = COMPOSITE[token];
  if (found === undefined) return undefined;
  const [pieces, separator] = found;
  return {
    pattern: pieces.map(({ pattern }) => `${SPACE}${pattern}`).join(separator),
    fields: pieces.flatMap(({ fields }) => fields),
    endsIn: "number",
  };
}

function pieceOf(token: string): Piece | undefined {
  if (token.startsWith("%")) return ELEMENTS[token] ?? composite(token);
  if (/^\s$/.test(token)) return { pattern: SPACE, fields: [], endsIn: "text" };
  return {
    pattern: token.replace(/[^A-Za-z0-9]/u, (character) => `\\x{${character.codePointAt(0)?.toString(16)}}`),
    fields: [],
    endsIn: "text",
  };
}

/** The pieces of a format; undefined for one that is read otherwise. */
function readFormat(format: string): readonly Piece[] | undefined {
  const tokens = format.match(/%E\*S|%Ez|%.|[\s\S]/gu) ?? [];
  const pieces: Piece[] = [];
  for (const token of tokens) {
    const piece = pieceOf(token);
    const before = pieces.at(-1)?.endsIn ?? "text";
    const isDigit = /^(?:[0-9]|%[^%]|%E\*S)$/.test(token);
    if (piece === undefined || (before !== "text" && isDigit)) return undefined;
    if (before === "zone" || (before === "fraction" && token === ".")) return undefined;
    pieces.push(piece);
  }
  const fields = pieces.flatMap((piece) => piece.fields);
  return new Set(fields).size === fields.length && fields.length > 0 ? pieces : undefined;
}

const FIELDS_OF: Readonly<Record<string, readonly Field[]>> = {
  DATE: ["year", "month", "day"],
  TIME: ["hour", "minute", "second", "fraction"],
  DATETIME: ["year", "month", "day", "hour", "minute", "second", "fraction"],
};

const DEFAULTS: Readonly<Record<Field, number>> = {
  ...{ year: 1970, month: 1, day: 1, hour: 0, minute: 0, second: 0, fraction: 0, zone: 0 },
};

const BOUNDS: Readonly<Partial<Record<Field, readonly [number, number]>>> = {
  ...{
    year: [1, 9999],
    month: [1, 12],
    day: [1, 31],
    hour: [0, 23],
    minute: [0, 59],
    second: [0, 60],
    zone: [-14 * 60, 14 * 60],
  },
};

/** Minutes that a clock is ahead of UTC; more than any zone has if the offset is invalid. */
function zoneMinutes(text: Sql): Sql {
  const hours = sql`toInt64OrZero(substring(${text}, 2, 2))`;
  const minutes = sql`toInt64OrZero(right(replaceOne(substring(${text}, 4), ':', ''), 2))`;
  const size = sql`if(${hours} > 23 OR ${minutes} > 59, 9999, ${hours} * 60 + ${minutes})`;
  return sql`multiIf(${text} = 'Z', toInt64(0), startsWith(${text}, '-'), -(${size}), ${size})`;
}

/** The value of the fields, which are names of numbers, in microseconds since 1970; NULL where there is none. */
function microsOf(known: ReadonlyMap<Field, Sql>): Sql {
  const of = (field: Field) => known.get(field) ?? sql`toInt64(${numberSql(DEFAULTS[field])})`;
  const inBounds = [...known.keys()].flatMap((field) => {
    const bounds = BOUNDS[field];
    return bounds === undefined ? [] : [sql`${of(field)} BETWEEN ${numberSql(bounds[0])} AND ${numberSql(bounds[1])}`];
  });
  const [year, month, day] = [of("year"), sql`greatest(least(${of("month")}, 12), 1)`, of("day")];
  const isDay = sql`${day} <= ${lastDayOfMonth(year, month)}`;
  const days = daysFromCivil(
    sql`greatest(${year}, 1)`,
    month,
    sql`greatest(least(${day}, ${lastDayOfMonth(year, month)}), 1)`,
  );
  const seconds = sql`${of("hour")} * 3600 + ${of("minute")} * 60 + ${of("second")}`;
  const fraction = sql`if(${of("second")} = 60, 0, ${of("fraction")})`;
  const micros = sql`${days} * ${DAY} + (${seconds} - ${of("zone")} * 60) * 1000000 + ${fraction}`;
  return sql`if(${joinSql([...inBounds, isDay], " AND ")}, ${micros}, NULL)`;
}

/** PARSE_DATE, PARSE_TIME, PARSE_DATETIME and PARSE_TIMESTAMP in UTC. */
export function parseTime(kind: "DATE" | "TIME" | "DATETIME" | "TIMESTAMP"): (context: CallContext) => Sql {
  return (context) => {
    if (context.timeZone !== "UTC" || context.args.length > 2) return context.refuse("a time zone");
    const format = literalOf(context, 0);
    const pieces = format === undefined ? undefined : readFormat(format);
    if (pieces === undefined) return context.refuse("this format");
    const fields = pieces.flatMap((piece) => piece.fields);
    const foreign = fields.find((field) => !(FIELDS_OF[kind] ?? fields).includes(field));
    if (foreign !== undefined) return context.refuse("this format");
    const pattern = textSql(`^${SPACE}${pieces.map((piece) => piece.pattern).join("")}${SPACE}$`);
    return context.bind([context.args[1] ?? EMPTY], (text) => {
      const found = sql`extractGroups(ifNull(${text}, ''), ${pattern})`;
      const names = fields.map(() => context.fresh("n"));
      const known = new Map(fields.map((field, index) => [field, names[index] ?? EMPTY]));
      const value = context.bind([found], (groups) => {
        const numbers = fields.map((field, index) => {
          const group = sql`${groups}[${numberSql(index + 1)}]`;
          if (field === "zone") return sql`[${zoneMinutes(group)}]`;
          const digits = field === "fraction" ? sql`rightPad(substring(${group}, 1, 6), 6, '0')` : group;
          return sql`[toInt64OrZero(${digits})]`;
        });
        const computed = sql`(${joinSql(names, ", ")}) -> ${microsOf(known)}`;
        return sql`if(empty(${groups}), NULL, arrayMap(${computed}, ${joinSql(numbers, ", ")})[1])`;
      });
      return context.bind([value], (micros) => finished(context, kind, text, micros));
    });
  };
}

function finished(context: CallContext, kind: string, text: Sql, micros: Sql): Sql {
  const isOutside = sql`${micros} < ${numberSql(MIN_MICROS)} OR ${micros} > ${numberSql(MAX_MICROS)}`;
  const fails = sql`isNotNull(${text}) AND (isNull(${micros}) OR ${isOutside})`;
  const value = kind === "DATE" ? daysOf(micros) : kind === "TIME" ? clockOf(micros) : micros;
  return context.failIf(fails, `Failed to parse a ${kind}`, value);
}
