import { type BodyForm, unpackBody } from "../../ingest/unpack-body.ts";
import { endOfString, splitValues } from "../../values/json/split-json.ts";
import { sourceNames } from "./find-source.ts";

/** The number of a body's values that are looked through for its source. */
const maxMembers = 5_000;

/**
 * The source named by a body: a JSON object with `source_name` or a synonym, beside a `batch` or in a single event.
 * Undefined when it names none or cannot be read; the actual reader reports the reason. The body is not parsed: that
 * takes as long as its sender likes, and is done where senders take turns.
 */
export async function nameInBody(bytes: Uint8Array, form: BodyForm, maxBytes: number): Promise<string | undefined> {
  const unpacked = await unpackBody(bytes, form, maxBytes).catch(() => undefined);
  const text = new TextDecoder().decode(unpacked).trimStart();
  if (!text.startsWith("{")) return undefined;
  const found = new Map<string, string>();
  let left = maxMembers;
  for (const member of splitValues(text.slice(1))) {
    if (left-- === 0) break;
    const start = member.indexOf('"');
    const end = endOfString(member, start);
    const name = member.slice(start + 1, end - 1);
    const colon = member.indexOf(":", end);
    const value = isSourceName(name) && colon !== -1 ? readText(member.slice(colon + 1)) : undefined;
    if (value !== undefined) found.set(name, value);
  }
  return sourceNames.map((name) => found.get(name)).find((name) => name !== undefined && name !== "");
}

function isSourceName(name: string): boolean {
  return sourceNames.some((each) => each === name);
}

/** The text that a value's JSON is; undefined for another value, and for what is no JSON. */
function readText(json: string): string | undefined {
  // The last value is followed by the end of its object.
  const start = json.indexOf('"');
  if (start === -1 || json.slice(0, start).trim() !== "") return undefined;
  try {
    return JSON.parse(json.slice(start, endOfString(json, start))) as string;
  } catch {
    return undefined;
  }
}
