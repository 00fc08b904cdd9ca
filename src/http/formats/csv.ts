import { splitMembers, splitValues } from "../../values/json/split-json.ts";
import type { AnswerFormat } from "./answer-format.ts";

/**
 * RFC 4180: a header, lines that end with CRLF, quotes where a field needs them. Nested values are JSON text. NULL is
 * an empty field, an empty text is a quoted one.
 */
export const csvFormat: AnswerFormat = {
  name: "csv",
  mediaType: "text/csv",
  typeParameters: "; charset=utf-8; header=present",
  open: (columns) => ({
    begin: () => `${columns.map(({ name }) => quote(name)).join(",")}\r\n`,
    write({ json }) {
      let lines = "";
      for (const row of splitValues(json)) {
        let separator = "";
        for (const value of splitMembers(row)) {
          lines += separator + toField(value);
          separator = ",";
        }
        lines += "\r\n";
      }
      return lines;
    },
    end: () => "",
  }),
};

function toField(value: string): string {
  if (value === "null") return "";
  return quote(value.startsWith('"') ? String(JSON.parse(value)) : value);
}

function quote(text: string): string {
  return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
