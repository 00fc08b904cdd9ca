import { parseJson } from "../../engines/contract/parse-json.ts";
import { BodyError } from "../../engines/contract/query-engine.ts";
import { messageOf } from "../../shared/message-of.ts";
import { countAny } from "../event-count.ts";
import { counted } from "./bodies.ts";

/**
 * Concatenated JSON values, separated by nothing, white space, or a list's brackets and commas. Throws `invalid_body`
 * with the position of an invalid value. Works in one pass over the text.
 */
export function readConcatenatedJson(text: string, count = countAny()): readonly unknown[] {
  const begin = text.trimStart();
  // What begins so is a list, or no JSON.
  if (begin.startsWith("[")) return counted(parseOne(begin, 0) as readonly unknown[], count);
  const values: unknown[] = [];
  let start = 0;
  for (let end = findEnd(text, start); end !== undefined; end = findEnd(text, start)) {
    count.add();
    values.push(parseOne(text.slice(start, end), values.length));
    start = end;
  }
  if (text.slice(start).trim() !== "") {
    count.add();
    values.push(parseOne(text.slice(start), values.length));
  }
  return values;
}

function parseOne(text: string, index: number): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    const detail = messageOf(error);
    throw new BodyError("invalid_body", `Value ${index} is not valid JSON: ${detail.slice(0, 200)}`, index);
  }
}

const quote = 34;
const backslash = 92;

/** After the bracket that closes the first value; undefined when none closes it. */
function findEnd(text: string, start: number): number | undefined {
  let depth = 0;
  let isInText = false;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isInText) {
      if (code === backslash) at++;
      else if (code === quote) isInText = false;
    } else if (code === quote) isInText = true;
    else if (code === 123 || code === 91) depth++;
    else if ((code === 125 || code === 93) && --depth <= 0) return at + 1;
  }
  return undefined;
}
