import type { LqlOperator, LqlValue } from "./lql-ast.ts";
import type { Scanner } from "./scanner.ts";
import { readInstant } from "./time-value.ts";

const levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
const number = /-?\d+(?:\.\d+)?/y;
const numberEnd = /(?![\w.-]|\.\.)/y;
const word = /[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*/y;

/** The value of `path:value`. Throws `LqlError` where it does not parse. */
export function readFieldValue(scanner: Scanner, path: readonly string[], operator: LqlOperator): LqlValue {
  const start = scanner.position;
  const value = readRange(scanner, path) ?? readScalar(scanner);
  if (value === undefined) {
    const name = path.join(".");
    throw scanner.error(
      `The value of ${name} is missing; it is a number, a date, a word or a text in double quotes`,
      start,
    );
  }
  const isRange = value.kind === "NumberRange" || value.kind === "InstantRange" || value.kind === "OneOf";
  if ((isRange || value.kind === "Null") && operator !== "=") {
    throw scanner.error(`${isRange ? "A range" : "NULL"} stands behind : alone`, start);
  }
  return value;
}

/** A range of numbers that ends before it begins is empty, like that of BETWEEN. */
function readRange(scanner: Scanner, path: readonly string[]): LqlValue | undefined {
  const start = scanner.position;
  const numbers = scanner.take(/(-?\d+(?:\.\d+)?)\.\.(-?\d+(?:\.\d+)?)(?![\w.-])/y);
  if (numbers !== undefined) {
    const [, low = "", high = ""] = numbers;
    return { kind: "NumberRange", low, high };
  }
  const isLevel = path.length === 2 && path[0] === "metadata" && path[1] === "level";
  const words = isLevel ? scanner.take(/([a-z]+)\.\.([a-z]+)(?![\w.-])/y) : undefined;
  if (words === undefined) return undefined;
  const [low, high] = [levels.indexOf(words[1] ?? ""), levels.indexOf(words[2] ?? "")];
  if (low === -1 || high < low) {
    throw scanner.error(`A range of levels goes from one of ${levels.join(", ")} to the same or a later one`, start);
  }
  return { kind: "OneOf", texts: levels.slice(low, high + 1) };
}

function readScalar(scanner: Scanner): LqlValue | undefined {
  const quoted = scanner.takeQuoted();
  if (quoted !== undefined) return { kind: "Text", text: quoted };
  const parenthesised = scanner.take(/\(([^)]*)\)/y);
  if (parenthesised !== undefined) return { kind: "Text", text: parenthesised[1] ?? "" };
  if (scanner.take(/NULL(?![\w.-])/y) !== undefined) return { kind: "Null" };
  if (scanner.peek(/\d{4}-\d{2}-\d{2}/y) !== undefined) return readDates(scanner);
  const matched = scanner.peek(number);
  if (matched !== undefined) {
    const start = scanner.position;
    scanner.take(number);
    if (scanner.peek(numberEnd) !== undefined) return { kind: "Number", text: matched[0] };
    scanner.position = start;
  }
  const text = scanner.take(word)?.[0];
  return text === undefined ? undefined : { kind: "Text", text };
}

function readDates(scanner: Scanner): LqlValue | undefined {
  const start = scanner.position;
  const low = readInstant(scanner);
  if (low === undefined) return undefined;
  if (scanner.take(/\.\.(?=\d)/y) === undefined) return { kind: "Instant", us: low.us };
  const high = readInstant(scanner);
  if (high === undefined) throw scanner.error("The range has no second date");
  if (high.us < low.us) throw scanner.error("The range ends before it begins", start);
  return { kind: "InstantRange", lowUs: low.us, highUs: high.us };
}
