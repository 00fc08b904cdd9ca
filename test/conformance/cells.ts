/** Comparing result cells with those of a case file (see the case folder's README for their form). */

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

const RELATIVE_TOLERANCE = 1e-5;

function isNear(expected: number, actual: number): boolean {
  if (Object.is(expected, actual) || expected === actual) return true;
  // Beside an infinity, any distance is within its tolerance.
  if (!Number.isFinite(expected) || !Number.isFinite(actual)) return false;
  return Math.abs(expected - actual) <= RELATIVE_TOLERANCE * Math.max(Math.abs(expected), Math.abs(actual));
}

function toNumber(value: Json): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || value.trim() === "") return undefined;
  const number = Number(value.replace(/^([+-]?)inf$/i, "$1Infinity"));
  return Number.isNaN(number) && value !== "NaN" ? undefined : number;
}

function isSameNumber(expected: Json, actual: Json): boolean {
  const [left, right] = [toNumber(expected), toNumber(actual)];
  return left !== undefined && right !== undefined && isNear(left, right);
}

/** Microseconds since 1970 of `2024-01-02 03:04:05.678901+00`. */
function instantOf(text: string): bigint | undefined {
  const match = /^(\d+-\d+-\d+)[ T](\d+:\d+:\d+)(?:\.(\d{1,6}))?(?:\+00|Z)?$/.exec(text);
  if (match === null) return undefined;
  const milliseconds = Date.parse(`${match[1]?.padStart(10, "0")}T${match[2]?.padStart(8, "0")}Z`);
  if (Number.isNaN(milliseconds)) return undefined;
  return BigInt(milliseconds) * 1000n + BigInt((match[3] ?? "").padEnd(6, "0"));
}

function isEmpty(value: Json): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

/** The one field of an object that stands for a STRUCT's field; undefined for anything else. */
function fieldValue(value: Json): { readonly value: Json } | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const [entry, ...others] = Object.entries(value);
  return entry === undefined || others.length > 0 || entry[0].startsWith("$") ? undefined : { value: entry[1] as Json };
}

/** Is the actual cell what the case expects? */
export function isSameCell(expected: Json, actual: Json): boolean {
  const field = fieldValue(expected);
  if (field !== undefined) return isSameCell(field.value, actual);
  if (isEmpty(expected) || isEmpty(actual)) return isEmpty(expected) && isEmpty(actual);
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return false;
    return expected.every((item: Json, index) => isSameCell(item, (actual[index] ?? null) as Json));
  }
  if (typeof expected === "object" && expected !== null) {
    const special = expected as { readonly [key: string]: Json };
    if (special.$big !== undefined) return String(special.$big) === String(actual);
    if (special.$ts !== undefined) return instantOf(String(special.$ts)) === BigInt(Number(actual));
    return isSameNumber(special.$f ?? null, actual);
  }
  if (typeof expected === "number" || (typeof actual === "number" && typeof expected === "string")) {
    return isSameNumber(expected, actual);
  }
  return expected === actual;
}

/** Are the rows the same, in order or as a multiset? */
export function isSameRows(expected: readonly Json[], actual: readonly Json[], isOrdered: boolean): boolean {
  if (expected.length !== actual.length) return false;
  if (isOrdered) return expected.every((row, index) => isSameRow(row, actual[index] ?? null));
  const left = [...actual];
  return expected.every((row) => {
    const found = left.findIndex((candidate) => isSameRow(row, candidate));
    if (found !== -1) left.splice(found, 1);
    return found !== -1;
  });
}

function isSameRow(expected: Json, actual: Json): boolean {
  if (!Array.isArray(expected) || !Array.isArray(actual)) return isSameCell(expected, actual);
  return (
    expected.length === actual.length &&
    expected.every((cell, index) => isSameCell(cell as Json, actual[index] as Json))
  );
}

export type { Json };
