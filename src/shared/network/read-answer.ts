/**
 * Reads the body of another service's answer to its end. Throws a `TypeError`, as `fetch` does for a connection that
 * breaks, for one of more bytes, of which nothing further is read.
 */
export async function readAnswer({ body }: Response, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let byteCount = 0;
  for await (const chunk of body ?? []) {
    byteCount += chunk.length;
    if (byteCount > maxBytes) throw new TypeError(`the answer has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * The lines of UTF-8 text, in the groups in which they arrive and without their line feeds; text behind the last one is
 * a line too. A line of any length takes time in proportion to it, however small the parts are that it arrives in.
 */
export async function* readTextLines(parts: AsyncIterable<Uint8Array>): AsyncGenerator<readonly string[], void, void> {
  const decoder = new TextDecoder();
  let begun: string[] = [];
  for await (const part of parts) {
    const [end = "", ...others] = decoder.decode(part, { stream: true }).split("\n");
    begun.push(end);
    const next = others.pop();
    if (next === undefined) continue;
    const line = begun.join("");
    begun = [next];
    yield [line, ...others];
  }
  const last = begun.join("") + decoder.decode();
  if (last !== "") yield [last];
}
