import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readAnswer, readTextLines } from "./read-answer.ts";

it("an answer is read up to its bound, and no further", async () => {
  let [sent, isLeft] = [0, false];
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent++;
      controller.enqueue(new Uint8Array(10));
    },
    cancel() {
      isLeft = true;
    },
  });
  await expect(readAnswer(new Response(endless), 95)).rejects.toThrow("the answer has more than 95 bytes");
  expect([sent <= 12, isLeft]).toEqual([true, true]);
  expect(String(await readAnswer(new Response("a".repeat(95)), 95))).toHaveLength(95);
  expect(await readAnswer(new Response(null, { status: 204 }), 95)).toHaveLength(0);
});

async function* inParts(bytes: Uint8Array, sizes: () => number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; ) {
    const size = sizes();
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function linesOf(parts: AsyncIterable<Uint8Array>): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const lines of readTextLines(parts)) all.push(...lines);
  return all;
}

describe("the lines of a text", () => {
  it("are those between its line feeds, wherever it is cut", async () => {
    const texts = fc.array(fc.constantFrom("a", "\n", "\r", "ä", "😀", "\n\n"), { maxLength: 30 });
    const cuts = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(texts, cuts, async (pieces, sizes) => {
        const text = pieces.join("");
        let turn = 0;
        const lines = await linesOf(inParts(Buffer.from(text), () => sizes[turn++ % sizes.length] ?? 1));
        const expected = text.split("\n");
        if (expected.at(-1) === "") expected.pop();
        expect(lines).toEqual(expected);
      }),
    );
  });

  it("take no longer for a line that arrives in many parts: minutes, if each part were joined to all before it", async () => {
    const line = Buffer.alloc(16 * 1024 ** 2, "x");
    const [read, ...others] = await linesOf(inParts(line, () => 1_024));
    expect([read?.length, others]).toEqual([line.length, []]);
  });
});
