import { PassThrough } from "node:stream";
import { runSqlBatch } from "../../../src/cli/commands/sql-batch.ts";
import { readLines } from "../../../src/cli/input/lines.ts";
import type { Answer } from "../answers.ts";

/** One engine that answers queries one after the other, as `sql --batch` does. */
export function openAsker(): { readonly ask: (query: string) => Promise<Answer>; readonly close: () => Promise<void> } {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const done = runSqlBatch(input, output).finally(() => output.end());
  const lines = readLines(output)[Symbol.asyncIterator]();
  return {
    ask: async (query) => {
      input.write(`${JSON.stringify({ query })}\n`);
      const { value } = await lines.next();
      return JSON.parse(String(value)) as Answer;
    },
    close: async () => {
      input.end();
      await done;
    },
  };
}
