import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { numberedLines, unzipped } from "./numbered-lines.ts";

async function read(chunks: readonly (Buffer | string)[], maxBytes = 100): Promise<[number, string][]> {
  const lines: [number, string][] = [];
  for await (const { number, bytes } of numberedLines(unzipped(Readable.from(chunks)), maxBytes)) {
    lines.push([number, bytes.toString()]);
  }
  return lines;
}

describe("numbered lines", () => {
  it("come whole however the bytes arrive, blank ones counted and left out", async () => {
    const text = '{"a":1}\n\n  \r\n{"b":"ü"}\r\nlast';
    const expected = [
      [1, '{"a":1}'],
      [4, '{"b":"ü"}\r'],
      [5, "last"],
    ];
    expect(await read([text])).toEqual(expected);
    expect(await read([...Buffer.from(text)].map((byte) => Buffer.of(byte)))).toEqual(expected);
  });

  it("come out of gzip as out of text", async () => {
    const zipped = gzipSync("one\ntwo\n");
    expect(await read([zipped.subarray(0, 1), zipped.subarray(1)])).toEqual([
      [1, "one"],
      [2, "two"],
    ]);
  });

  it("are cut where they are too long, and those after them are whole", async () => {
    expect(await read(["x".repeat(50), `${"x".repeat(50)}\ny`], 10)).toEqual([
      [1, "x".repeat(11)],
      [2, "y"],
    ]);
  });

  it("fail with gzip that is cut off", async () => {
    await expect(read([gzipSync("one\n").subarray(0, 15)])).rejects.toThrow("unexpected end of file");
  });

  it("are none in an empty stream", async () => {
    expect(await read([])).toEqual([]);
  });
});
