import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { decodeLine, readLines } from "./lines.ts";

async function linesOf(chunks: readonly Uint8Array[]): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of readLines(Readable.from(chunks))) lines.push(line);
  return lines;
}

describe("lines of a stream", () => {
  const bytes = Buffer.from("a\r\né😀\u2028\n\n\ufefflast");
  it.each([1, 2, 3, 7, 100])("are the same when they arrive in chunks of %i bytes", async (size) => {
    const count = Math.ceil(bytes.length / size);
    const chunks = Array.from({ length: count }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
    expect(await linesOf(chunks)).toEqual(["a", "é😀\u2028", "", "\ufefflast"]);
  });

  it("map each byte that is not UTF-8 to half of a surrogate pair", () => {
    const text = (...parts: readonly number[]) => decodeLine(Uint8Array.from(parts));
    expect(text(0x61, 0xff, 0x62)).toBe("a\udcffb");
    expect(text(0xe2, 0x82, 0x61)).toBe("\udce2\udc82a");
    expect(text(0xc3, 0xa9, 0xf0, 0x9f)).toBe("é\udcf0\udc9f");
    expect(text(0xed, 0xa0, 0x80)).toBe("\udced\udca0\udc80");
  });
});
