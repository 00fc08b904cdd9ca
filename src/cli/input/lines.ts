import { once } from "node:events";
import { Readable } from "node:stream";
import { type CliContext, CliError, usageExitCode } from "../context.ts";
import { splitLines, toBuffers } from "./numbered-lines.ts";

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * The text of bytes. A byte that is not UTF-8 becomes half of a surrogate pair, U+DC00 plus the byte: no valid text
 * contains it, so the reader of the line can see what was wrong, and where.
 */
export function decodeLine(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return Array.from(split(bytes), (part) =>
      typeof part === "number" ? String.fromCharCode(0xdc00 + part) : part,
    ).join("");
  }
}

/** The characters of bytes, with bytes that are not part of any as numbers. */
function* split(bytes: Uint8Array): Generator<string | number> {
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at] ?? 0;
    const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    const character = decodeCharacter(bytes.subarray(at, at + length));
    yield character ?? lead;
    at += character === undefined ? 1 : length;
  }
}

function decodeCharacter(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * The lines of a stream of UTF-8 text, each as soon as it is complete. Only `\n` and `\r\n` end a line, so that JSON
 * texts may hold any other character; a last line without an end counts. For bytes that are no UTF-8 see `decodeLine`.
 */
export async function* readLines(input: AsyncIterable<string | Uint8Array>): AsyncGenerator<string> {
  for await (const { bytes } of splitLines(toBuffers(input))) yield decodeLine(bytes).replace(/\r$/, "");
}

/** Writes one line and waits until the stream takes more. */
export async function writeLine(output: NodeJS.WritableStream, line: string): Promise<void> {
  if (!output.write(`${line}\n`)) await once(output, "drain");
}

/** The lines that `--batch` reads, or the one query of the command line as the only line. */
export function queryLines(
  key: string,
  text: string | undefined,
  isBatch: boolean | undefined,
  context: CliContext,
): NodeJS.ReadableStream {
  if (isBatch === true) return context.input;
  if (text === undefined) throw new CliError("This needs a query, or --batch", usageExitCode);
  return Readable.from([`${JSON.stringify({ [key]: text })}\n`]);
}
