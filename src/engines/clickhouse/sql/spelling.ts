import type { Spelling } from "../../sql/emit.ts";
import { quoteName, quoteText } from "../driver/quote.ts";

/** The placeholder of the time at which a run began: above it are those of parameters, below it of constants. */
export const NOW_PLACEHOLDER = 0;

/** The name under which the server knows the value of a placeholder. */
export function parameterName(placeholder: number): string {
  if (placeholder === NOW_PLACEHOLDER) return "now";
  return placeholder > 0 ? `p${placeholder}` : `k${-placeholder}`;
}

/** How ClickHouse writes literals, names, placeholders and lambdas. */
export const spelling: Spelling = {
  text: quoteText,
  name: quoteName,
  literal(value, type) {
    const text = value === null ? "NULL" : String(value);
    if (type === "") return text;
    // A minus before a cast would be cast too, or not.
    return text.startsWith("-") ? `to${type}(${text})` : `${text}::${type}`;
  },
  placeholder: (number, type) => `{${parameterName(number)}:${type}}`,
  lambda: ["", " -> "],
};
