/**
 * The written cases of the language, a few in each test, so that a mutant is tried only on those that execute its
 * place: `test/conformance/` runs many cases at once, which does not show where a mistake was made.
 */
import { createHash } from "node:crypto";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runSqlBatch } from "../../src/cli/commands/sql-batch.ts";
import { readLines } from "../../src/cli/input/lines.ts";
import type { Answer, Question } from "../conformance/answers.ts";
import { findCaseFault, readCorpus, readFamilies } from "../conformance/own-cases.ts";

const CASES_A_TEST = 4;

interface Asking {
  ask(question: Question): Promise<Answer>;
  close(): Promise<void>;
}

function startAsking(): Asking {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const done = runSqlBatch(input, output).finally(() => output.end());
  done.catch(() => undefined);
  const lines = readLines(output)[Symbol.asyncIterator]();
  return {
    async ask(question) {
      input.write(`${JSON.stringify(question)}\n`);
      const next = await lines.next();
      if (next.done === true) throw await done.then(() => new Error("The batch ended"));
      return JSON.parse(next.value) as Answer;
    },
    async close() {
      input.end();
      await done;
    },
  };
}

const groups = [...readCorpus(), ...readFamilies()].flatMap(({ file, cases }) =>
  Array.from({ length: Math.ceil(cases.length / CASES_A_TEST) }, (_, at) => {
    const first = at * CASES_A_TEST;
    return { file, first, items: cases.slice(first, first + CASES_A_TEST) };
  }),
);

/** A selection spread over all cases, whichever are left out. */
const mixed = groups
  .map((group) => ({ ...group, order: createHash("sha256").update(`${group.file} ${group.first}`).digest("hex") }))
  .sort((a, b) => (a.order < b.order ? -1 : 1));

describe("the written cases", () => {
  let asking: Asking;
  beforeAll(() => {
    asking = startAsking();
  });
  afterAll(() => asking.close());

  it.each(mixed)("$file from $first", async ({ items }) => {
    for (const item of items) {
      const { query, params } = item;
      expect(findCaseFault(item, await asking.ask({ query, params }))).toEqual([]);
    }
  });
});
