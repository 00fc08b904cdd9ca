import { once } from "node:events";

/**
 * The lines of a stream of UTF-8 text, each as soon as it is complete. Only `\n` and `\r\n` end a line, so that JSON
 * texts may hold any other character; a last line without an end counts.
 */
export async function* readLines(input: NodeJS.ReadableStream): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  for await (const chunk of input) {
    const text = typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    const [head = "", ...others] = text.split("\n");
    parts.push(head);
    for (const part of others) {
      yield trimReturn(parts.join(""));
      parts = [part];
    }
  }
  const last = parts.join("") + decoder.decode();
  if (last !== "") yield trimReturn(last);
}

function trimReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

/** Writes one line and waits until the stream takes more. */
export async function writeLine(output: NodeJS.WritableStream, line: string): Promise<void> {
  if (!output.write(`${line}\n`)) await once(output, "drain");
}
