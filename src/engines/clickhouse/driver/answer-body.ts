/** The body of an answer. The server reports a failure after the first rows in the body itself, marked by a tag. */
import type { Readable } from "node:stream";
import { EngineError } from "../../contract/query-engine.ts";
import { toEngineError, unanswered } from "./server-error.ts";
import { SilentServer } from "./silence.ts";

/** Stands at the end of an answer; rows have it nowhere, as JSON escapes it. */
const END = "\x04";

/** The format of rows: those of JSONCompactEachRow, and the end. */
export const ROWS = {
  format: "CustomSeparated",
  settings: {
    format_custom_escaping_rule: "JSON",
    format_custom_row_before_delimiter: "[",
    format_custom_field_delimiter: ",",
    format_custom_row_after_delimiter: "]\n",
    format_custom_row_between_delimiter: "",
    format_custom_result_before_delimiter: "",
    format_custom_result_after_delimiter: END,
  },
} as const;

/** Where a failure begins; the tag is the answer's own, so that no value can look like it. */
function markerOf(tag: string): Buffer {
  return Buffer.from(`\r\n__exception__\r\n${tag}`);
}

/** How many bytes at the end of the data may be the beginning of the marker. */
function heldBack(data: Buffer, marker: Buffer): number {
  for (let at = Math.max(0, data.length - marker.length + 1); at < data.length; at++) {
    if (data[at] === marker[0] && data.subarray(at).equals(marker.subarray(0, data.length - at)))
      return data.length - at;
  }
  return 0;
}

async function readRest(rest: AsyncIterator<Uint8Array>, first: Buffer): Promise<string> {
  const parts = [first];
  try {
    for (let next = await rest.next(); next.done !== true; next = await rest.next())
      parts.push(Buffer.from(next.value));
  } catch {
    // The server closes the connection after a failure, which has been read completely by then.
  }
  return Buffer.concat(parts).toString();
}

/** The pieces of a body, which fails where the next one takes longer than so many milliseconds to come. */
export async function* withoutPauses(body: Readable, ms: number): AsyncGenerator<Uint8Array, void> {
  const pieces: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]();
  for (;;) {
    const timer = setTimeout(() => void body.destroy(new SilentServer()), ms);
    const next = await pieces.next().finally(() => clearTimeout(timer));
    if (next.done === true) return;
    yield next.value;
  }
}

/** The bytes of an answer as they arrive; throws `EngineError` if the server fails or the connection breaks. */
export async function* readBody(
  stream: AsyncIterable<Uint8Array>,
  tag: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const marker = tag === undefined ? undefined : markerOf(tag);
  const chunks = stream[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  try {
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
      const chunk = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
      const data = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      const at = marker === undefined ? -1 : data.indexOf(marker);
      if (at >= 0) {
        if (at > 0) yield data.subarray(0, at);
        throw toEngineError(new Error(await readRest(chunks, data.subarray(at))));
      }
      const hold = marker === undefined ? 0 : heldBack(data, marker);
      held = data.subarray(data.length - hold);
      if (data.length > hold) yield data.subarray(0, data.length - hold);
    }
    if (held.length > 0) yield held;
  } catch (error) {
    throw toEngineError(error, signal);
  } finally {
    await chunks.return?.();
  }
  if (signal.aborted) throw new EngineError("aborted", "The query was stopped");
}

/**
 * The rows of a body. Throws `unavailable` for one without its end: a proxy that reads until the connection closes
 * takes the part that a killed server has sent for the whole.
 */
export async function* readRows(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let isWhole = false;
  for await (const part of body) {
    isWhole = part.at(-1) === END.charCodeAt(0);
    const rows = isWhole ? part.subarray(0, -1) : part;
    if (rows.length > 0) yield rows;
  }
  if (!isWhole) throw unanswered(new Error("an answer that is not there to its end"));
}

/** The values of a line of rows. Throws for any other text, such as that of a failure which has no tag. */
export function readRow(line: string): readonly unknown[] {
  try {
    const row: unknown = JSON.parse(line);
    if (Array.isArray(row)) return row;
  } catch {
    // Said below.
  }
  throw toEngineError(new Error(line));
}

/**
 * The same values, the first of which is awaited: a generator that never ran would not clean up when it is left.
 */
export async function begun(values: AsyncGenerator<Uint8Array, void>): Promise<AsyncIterable<Uint8Array>> {
  let first: IteratorResult<Uint8Array, void> | undefined = await values.next();
  const next = () => {
    const taken = first;
    first = undefined;
    return taken === undefined ? values.next() : Promise.resolve(taken);
  };
  return { [Symbol.asyncIterator]: () => ({ next, return: () => values.return() }) };
}

interface AnswerHeaders {
  readonly response_headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Returns the tag of a failure within the answer; undefined if the server sent none. */
export function tagOf({ response_headers: headers }: AnswerHeaders): string | undefined {
  const value = headers["x-clickhouse-exception-tag"];
  return typeof value === "string" ? value : value?.[0];
}
