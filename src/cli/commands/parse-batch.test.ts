import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { runParseBatch } from "./parse-batch.ts";

async function answer(...chunks: (string | Buffer)[]): Promise<unknown[]> {
  const output = new PassThrough();
  const written = text(output);
  await runParseBatch(Readable.from(chunks), output);
  output.end();
  const lines = (await written).split("\n");
  expect(lines.pop()).toBe("");
  return lines.map((line) => JSON.parse(line));
}

describe("parse --batch", () => {
  it("answers each line in order", async () => {
    expect(await answer('{"sql":"SELECT 1"}\n{"sql":"SELECT"}\n{"sql":"FROM t"}\n')).toEqual([
      { ok: true },
      { ok: false, error: { message: "Syntax error: Unexpected end of statement", line: 1, column: 7 } },
      { ok: true },
    ]);
  });

  it("counts columns in code points and lines from 1", async () => {
    expect(await answer('{"sql":"SELECT\\n  \'\u{1f600}\' ]"}\n')).toMatchObject([
      { ok: false, error: { line: 2, column: 7 } },
    ]);
  });

  it("refuses lines that are not a valid request and continues", async () => {
    const answers = await answer('no json\n[]\nnull\n{"query":"SELECT 1"}\n{"sql":1}\n\n{"sql":"SELECT 1"}\n');
    expect(answers).toHaveLength(7);
    for (const refused of answers.slice(0, 6)) {
      expect(refused).toMatchObject({ ok: false, error: { code: "invalid_request" } });
    }
    expect(answers[6]).toEqual({ ok: true });
  });

  it("accepts statements that are grammatical even if they cannot be run", async () => {
    expect(await answer('{"sql":"SELECT * FROM a NATURAL JOIN b"}\n')).toEqual([{ ok: true }]);
  });

  it("reads lines split at any byte, and a last line without a line break", async () => {
    const bytes = Buffer.from('{"sql":"SELECT \'\u{1f600}\u2028\'"}\r\n{"sql":"SELECT 2"}');
    for (let at = 0; at <= bytes.length; at++) {
      expect(await answer(bytes.subarray(0, at), bytes.subarray(at))).toEqual([{ ok: true }, { ok: true }]);
    }
  });

  it("writes each answer before it reads the next line", async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    const done = runParseBatch(input, output);
    input.write('{"sql":"SELECT 1"}\n');
    const [first] = await new Promise<Buffer[]>((resolve) => output.once("data", (chunk) => resolve([chunk])));
    expect(String(first)).toBe('{"ok":true}\n');
    input.end();
    await done;
  });
});
