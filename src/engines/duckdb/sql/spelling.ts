import type { Spelling } from "../../sql/emit.ts";
import { quoteIdentifier, quoteString } from "../sql-text.ts";

/** How DuckDB writes literals, names, placeholders and lambdas. */
export const spelling: Spelling = {
  text: quoteString,
  name: quoteIdentifier,
  literal(value, type) {
    const text = value === null ? "NULL" : String(value);
    if (type === "") return text;
    // In parentheses, so that a minus before it makes no comment.
    return `${text.startsWith("-") ? `(${text})` : text}::${type}`;
  },
  placeholder: (number) => `$${number}`,
  lambda: ["lambda ", ": "],
};
