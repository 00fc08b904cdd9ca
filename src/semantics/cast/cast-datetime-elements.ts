/**
 * The format elements of CAST(... FORMAT ...) for dates and times. Source: GoogleSQL's "Format clause for CAST" page.
 */

/** Elements of one category set the same field. */
export type ElementCategory =
  | "LITERAL"
  | "YEAR"
  | "MONTH"
  | "DAY"
  | "HOUR"
  | "MINUTE"
  | "SECOND"
  | "MERIDIAN_INDICATOR"
  | "TIME_ZONE"
  | "OTHER";

/** One element of a format. */
export interface CastElement {
  /** Upper case; `text` for quoted and plain literal text, `space` for a run of spaces. */
  readonly name: string;
  readonly category: ElementCategory;
  /** As the format spells it; of a literal, the text that it stands for. */
  readonly text: string;
  readonly letterCase: "upper" | "lower" | "capitalized";
}

const categories: Readonly<Record<string, ElementCategory>> = {
  YYYY: "YEAR",
  YYY: "YEAR",
  YY: "YEAR",
  Y: "YEAR",
  RRRR: "YEAR",
  RR: "YEAR",
  "Y,YYY": "YEAR",
  MM: "MONTH",
  MON: "MONTH",
  MONTH: "MONTH",
  DDD: "DAY",
  DD: "DAY",
  D: "DAY",
  DAY: "DAY",
  DY: "DAY",
  HH: "HOUR",
  HH12: "HOUR",
  HH24: "HOUR",
  MI: "MINUTE",
  SS: "SECOND",
  SSSSS: "SECOND",
  AM: "MERIDIAN_INDICATOR",
  PM: "MERIDIAN_INDICATOR",
  "A.M.": "MERIDIAN_INDICATOR",
  "P.M.": "MERIDIAN_INDICATOR",
  TZH: "TIME_ZONE",
  TZM: "TIME_ZONE",
};

/** Elements that the reference names and no value is printed for; they are refused by name. */
const unsupported = "IYYY IYY IY I SYYYY YEAR SYEAR RM J CC SCC Q IW WW W AD BC A.D. B.C. SP TH SPTH THSP FM".split(
  " ",
);

const longestFirst = [
  ...Object.keys(categories),
  ...Array.from({ length: 9 }, (_, index) => `FF${index + 1}`),
  ...unsupported,
].sort((left, right) => right.length - left.length);

function letterCaseOf(text: string, category: ElementCategory): CastElement["letterCase"] {
  const first = text.charAt(0);
  if (first !== first.toUpperCase()) return "lower";
  const second = text.charAt(1);
  if (category === "MERIDIAN_INDICATOR" || second === "") return "upper";
  return second === second.toUpperCase() ? "upper" : "capitalized";
}

function literal(name: string, text: string): CastElement {
  return { name, category: "LITERAL", text, letterCase: "upper" };
}

/** Reads text in double quotes, in which `\"` and `\\` are escapes. */
function readQuoted(format: string, start: number): { readonly text: string; readonly end: number } {
  let text = "";
  for (let at = start + 1; at < format.length; at++) {
    const character = format.charAt(at);
    if (character === '"') return { text, end: at + 1 };
    if (character === "\\") {
      at += 1;
      const escaped = format.charAt(at);
      if (escaped !== '"' && escaped !== "\\")
        throw new Error(`Unsupported escape sequence \\${escaped} in text at ${start}`);
      text += escaped;
    } else {
      text += character;
    }
  }
  throw new Error(`Cannot find matching " for quoted literal at ${start}`);
}

/** Takes a format apart. Throws at what is no element of the reference. */
export function readCastFormat(format: string): readonly CastElement[] {
  const elements: CastElement[] = [];
  const upper = format.toUpperCase();
  for (let at = 0; at < format.length; ) {
    const character = format.charAt(at);
    if (character === '"') {
      const { text, end } = readQuoted(format, at);
      elements.push(literal("text", text));
      at = end;
      continue;
    }
    const name = longestFirst.find((candidate) => upper.startsWith(candidate, at));
    if (name !== undefined) {
      const text = format.slice(at, at + name.length);
      const category = categories[name] ?? (name.startsWith("FF") ? "SECOND" : "OTHER");
      elements.push({ name, category, text, letterCase: letterCaseOf(text, category) });
      at += name.length;
    } else if (character === " ") {
      const run = /^ +/.exec(format.slice(at))?.[0] ?? " ";
      elements.push(literal("space", run));
      at += run.length;
    } else if ("-./,';:".includes(character)) {
      elements.push(literal("text", character));
      at += 1;
    } else {
      throw new Error(`Cannot find matched format element at ${at}`);
    }
  }
  return elements;
}
