import { splitValues } from "../../values/json/split-json.ts";
import type { AnswerFormat } from "./answer-format.ts";

/** The beginning and the end of every JSON answer; the rows are between them, separated by commas. */
export const jsonFrame = { begin: '{"result":[', end: "]}" } as const;

/** `{"result":[...]}`, the rows as the engine wrote them. */
export const jsonFormat: AnswerFormat = {
  name: "json",
  mediaType: "application/json",
  typeParameters: "; charset=utf-8",
  open() {
    let isFirst = true;
    return {
      begin: () => jsonFrame.begin,
      write({ chunks }) {
        if (!isFirst) return [",", ...chunks];
        isFirst = false;
        return chunks;
      },
      end: () => jsonFrame.end,
    };
  },
};

/** One row a line. */
export const ndjsonFormat: AnswerFormat = {
  name: "ndjson",
  mediaType: "application/x-ndjson",
  typeParameters: "; charset=utf-8",
  open: () => ({
    begin: () => "",
    write({ json }) {
      let lines = "";
      // Line breaks in JSON stand between tokens only, where they mean nothing.
      for (const row of splitValues(json)) lines += `${/[\r\n]/.test(row) ? row.replaceAll(/[\r\n]+/g, " ") : row}\n`;
      return lines;
    },
    end: () => "",
  }),
};
