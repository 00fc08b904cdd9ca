import { uuidOf } from "../../shared/crypto/uuid-of.ts";
import type { NumberedLine } from "./numbered-lines.ts";

/** How most lines that have an id begin, and what none may have behind it. */
const [begin, quote] = [Buffer.from('{"id":"'), 34];

/**
 * A line whose event has an id: one without gets an id that is the same whenever the line of this origin is sent, so
 * that it is stored once however often that is. What is no event is left to the service to refuse.
 */
export function withId(line: NumberedLine, origin: string): NumberedLine {
  const { bytes, number } = line;
  if (bytes.subarray(0, begin.length).equals(begin) && bytes[begin.length] !== quote) return line;
  const text = bytes.toString();
  const event = readObject(text);
  if (event === undefined) return line;
  const names = Object.keys(event);
  if (names.some((name) => name.toLowerCase() === "id" && isSomething(event[name]))) return line;
  const id = uuidOf(`${origin}\0${number}\0${text}`);
  const end = bytes.lastIndexOf("}");
  return {
    number,
    bytes: Buffer.concat([bytes.subarray(0, end), Buffer.from(`${names.length > 0 ? "," : ""}"id":"${id}"}`)]),
  };
}

function readObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text.startsWith("\ufeff") ? text.slice(1) : text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Not what events lose: null, and an empty text. */
function isSomething(value: unknown): boolean {
  return value !== null && value !== "";
}
