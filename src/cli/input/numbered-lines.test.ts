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
  it("are complete at any chunk size, and blank lines are counted but skipped", async () => {
    const text = '{"a":1}\n\n  \r\n{"b":"ü"}\r\nlast';
    const expected = [
      [1, '{"a":1}'],
      [4, '{"b":"ü"}\r'],
      [5, "last"],
    ];
    expect(await read([text])).toEqual(expected);
    expect(await read([...Buffer.from(text)].map((byte) => Buffer.of(byte)))).toEqual(expected);
  });

  it("are read from gzip as from plain text", async () => {
    const zipped = gzipSync("one\ntwo\n");
    expect(await read([zipped.subarray(0, 1), zipped.subarray(1)])).toEqual([
      [1, "one"],
      [2, "two"],
    ]);
  });

  it("are truncated when too long, without affecting the lines after them", async () => {
    expect(await read(["x".repeat(50), `${"x".repeat(50)}\ny`], 10)).toEqual([
      [1, "x".repeat(11)],
      [2, "y"],
    ]);
  });

  it("fail when gzip is truncated", async () => {
    await expect(read([gzipSync("one\n").subarray(0, 15)])).rejects.toThrow("unexpected end of file");
  });

  it("are empty for an empty stream", async () => {
    expect(await read([])).toEqual([]);
  });
});
