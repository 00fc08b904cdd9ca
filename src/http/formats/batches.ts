import type { RowBatch } from "../../engines/contract/query-engine.ts";
import type { AnswerWriter, Chunk } from "./answer-format.ts";

/** Characters of rows that are written together: formats of columns are large and slow in small pieces. */
const groupCharacters = 8_000_000;

/**
 * A writer that gets rows in large groups, each at least so large but the last. There is always one, with no rows
 * where the answer has none.
 */
export function writeInGroups(writeGroup: (json: string) => Uint8Array, end: () => Uint8Array): AnswerWriter {
  let texts: string[] = [];
  let length = 0;
  let isFirst = true;
  const flush = () => {
    const json = texts.join(",");
    texts = [];
    length = 0;
    isFirst = false;
    return writeGroup(json);
  };
  return {
    begin: () => "",
    write({ json }: RowBatch): Chunk {
      texts.push(json);
      length += json.length;
      return length >= groupCharacters ? flush() : "";
    },
    end: () => (length > 0 || isFirst ? Buffer.concat([flush(), end()]) : end()),
  };
}
