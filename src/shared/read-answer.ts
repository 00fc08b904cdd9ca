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
