/** Casts of constants. */
import type { CastExpr } from "../../googlesql/resolved.ts";
import { formatType, type SqlType } from "../../googlesql/types.ts";
import { parseFloat64, parseInt64 } from "../../values/number-text.ts";
import {
  formatDate,
  formatDatetimeText,
  parseDate,
  parseDatetime,
  parseTime,
  parseTimestamp,
} from "../../values/time-text.ts";
import { findZone } from "../../values/time-zone.ts";
import { convertTime } from "./times.ts";
import type { ConstantValue } from "./values.ts";

type Kind = SqlType["kind"];

const TRUTHS: Readonly<Record<string, boolean>> = { true: true, false: false };

/** The value of a text; undefined if the text is not valid for the type. */
const readers: Readonly<Partial<Record<Kind, (text: string) => ConstantValue | undefined>>> = {
  INT64: parseInt64,
  FLOAT64: parseFloat64,
  BOOL: (text) => TRUTHS[text.toLowerCase()],
  DATE: parseDate,
  TIME: parseTime,
  DATETIME: parseDatetime,
  TIMESTAMP: (text) => parseTimestamp(text, "UTC", findZone),
};

const writers: Readonly<Partial<Record<Kind, (value: ConstantValue) => string>>> = {
  INT64: String,
  BOOL: String,
  DATE: (value) => formatDate(Number(value)),
  DATETIME: (value) => formatDatetimeText(BigInt(`${value}`)),
};

const TIMES: ReadonlySet<Kind> = new Set(["DATE", "DATETIME", "TIMESTAMP"] as const);

function converter(from: Kind, to: Kind): ((value: ConstantValue) => ConstantValue | undefined) | undefined {
  if (from === to) return (value) => value;
  const read = from === "STRING" ? readers[to] : undefined;
  if (read !== undefined) return (value) => read(String(value));
  if (to === "STRING") return writers[from];
  if (TIMES.has(from) && TIMES.has(to)) return (value) => convertTime(value, to);
  if (from === "INT64" && to === "FLOAT64") return Number;
  if (from === "INT64" && to === "BOOL") return (value) => value !== 0n;
  if (from === "BOOL" && to === "INT64") return (value) => (value === true ? 1n : 0n);
  return undefined;
}

/** Is such a cast computed here? */
export function isCastComputed({ operand, type, format, timeZone }: CastExpr): boolean {
  return format === undefined && timeZone === undefined && converter(operand.type.kind, type.kind) !== undefined;
}

/** Two letters, but for UTC: a text of a time with these names a zone, or is not valid. */
const ZONE_NAME = /(?!UT|TC)[A-Za-z]{2}/;

/**
 * `nameZone` is called before a zone is looked for, and may throw. Throws an `Error` if the value is not valid for the
 * type.
 */
export function castConstant(
  { operand, type, isSafe }: CastExpr,
  value: ConstantValue,
  nameZone: () => void,
): ConstantValue {
  if (value === null) return null;
  if (type.kind === "TIMESTAMP" && typeof value === "string" && ZONE_NAME.test(value)) nameZone();
  const made = converter(operand.type.kind, type.kind)?.(value);
  if (made !== undefined) return made;
  if (isSafe) return null;
  throw new Error(`Bad ${formatType(type)} value`);
}
