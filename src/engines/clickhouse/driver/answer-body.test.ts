import fc from "fast-check";
import { expect, it } from "vitest";
import { codePoint } from "../../../../test/support/code-point.ts";
import { readBody, readRow, readRows } from "./answer-body.ts";

const TAG = "abcdefghijklmnop";
const MARKER = `\r\n__exception__\r\n${TAG}`;

async function* piecesOf(bytes: Buffer, cuts: readonly number[], ending?: Error): AsyncGenerator<Uint8Array> {
  let from = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    if (cut <= from || cut >= bytes.length) continue;
    yield bytes.subarray(from, cut);
    from = cut;
  }
  yield bytes.subarray(from);
  if (ending !== undefined) throw ending;
}

async function read(
  pieces: AsyncIterable<Uint8Array>,
  readParts = (body: AsyncIterable<Uint8Array>) => readBody(body, TAG, new AbortController().signal),
): Promise<{ readonly text: string; readonly code?: string }> {
  const parts: Uint8Array[] = [];
  try {
    for await (const part of readParts(pieces)) parts.push(part);
  } catch (error) {
    return { text: Buffer.concat(parts).toString("latin1"), code: (error as { code: string }).code };
  }
  return { text: Buffer.concat(parts).toString("latin1") };
}

/** Bytes that sometimes look like the beginning of the marker. */
const bytes = fc
  .array(fc.oneof(fc.constantFrom("\r", "\n", "_", "\r\n__exc", "\r\n__exception__\r\n", "{}"), fc.string()))
  .map((parts) => Buffer.from(parts.join(""), "latin1"));

it("the answer body reader passes on every byte, however the stream is split", async () => {
  await fc.assert(
    fc.asyncProperty(bytes, fc.array(fc.nat(60)), async (body, cuts) => {
      expect(await read(piecesOf(body, cuts))).toEqual({ text: body.toString("latin1") });
    }),
  );
});

it("the answer body reader reports a failure after the rows, even if the connection breaks with it", async () => {
  const failure = Buffer.from(
    `${MARKER}\r\nCode: 395. DB::Exception: lw!too muchlw!: while ...\n56 ${TAG}\r\n__exception__\r\n`,
  );
  await fc.assert(
    fc.asyncProperty(bytes, fc.array(fc.nat(200)), fc.boolean(), async (body, cuts, isBroken) => {
      const pieces = piecesOf(Buffer.concat([body, failure]), cuts, isBroken ? new Error("aborted") : undefined);
      expect(await read(pieces)).toEqual({ text: body.toString("latin1"), code: "query_failed" });
    }),
  );
});

it("the answer body reader reports an answer that breaks off as unavailable", async () => {
  expect(await read(piecesOf(Buffer.from("1\n2\n"), [2], new Error("aborted")))).toEqual({
    text: "1\n2\n",
    code: "unavailable",
  });
});

it("the rows of an answer are whole only with its end, however the stream is split", async () => {
  const row = fc.array(fc.oneof(fc.string({ unit: codePoint, maxLength: 5 }), fc.integer()), { maxLength: 3 });
  const rows = fc.array(row, { maxLength: 5 }).map((lines) => {
    return Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  });
  await fc.assert(
    fc.asyncProperty(rows, fc.array(fc.nat(60)), fc.nat(), async (body, cuts, at) => {
      const whole = Buffer.concat([body, Buffer.from("\x04")]);
      expect(await read(piecesOf(whole, cuts), readRows)).toEqual({ text: body.toString("latin1") });
      const part = whole.subarray(0, at % whole.length);
      expect(await read(piecesOf(part, cuts), readRows)).toEqual({
        text: part.toString("latin1"),
        code: "unavailable",
      });
    }),
  );
});

it.each([
  [
    "Code: 241. DB::Exception: Memory limit (total) exceeded: would use 1 GiB",
    { code: "memory_exceeded", isLost: true },
  ],
  ["Code: 210. DB::NetException: Connection reset by peer. (NETWORK_ERROR)", { code: "unavailable", isLost: true }],
  ["<html>502 Bad Gateway</html>", { code: "unavailable", isLost: true }],
  ['{"exception": 1}', { code: "unavailable", isLost: true }],
  ["[1", { code: "unavailable", isLost: true }],
])("a line that is no row is the failure that the server, or its proxy, says: %s", (line, error) => {
  expect(readRow('["a", 1]')).toEqual(["a", 1]);
  expect(() => readRow(line)).toThrow(expect.objectContaining(error));
});
