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

const elementsOf: Readonly<Partial<Record<ElementCategory, string>>> = {
  YEAR: "YYYY YYY YY Y RRRR RR Y,YYY",
  MONTH: "MM MON MONTH",
  DAY: "DDD DD D DAY DY",
  HOUR: "HH HH12 HH24",
  MINUTE: "MI",
  SECOND: "SS SSSSS FF1 FF2 FF3 FF4 FF5 FF6 FF7 FF8 FF9",
  MERIDIAN_INDICATOR: "AM PM A.M. P.M.",
  TIME_ZONE: "TZH TZM",
  // The reference names them and no value is printed for them; they are refused by name.
  OTHER: "IYYY IYY IY I SYYYY YEAR SYEAR RM J CC SCC Q IW WW W AD BC A.D. B.C. SP TH SPTH THSP FM",
};

const longestFirst = Object.entries(elementsOf)
  .flatMap(([category, names]) => names.split(" ").map((name) => [name, category as ElementCategory] as const))
  .sort(([left], [right]) => right.length - left.length);

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
    const found = longestFirst.find(([candidate]) => upper.startsWith(candidate, at));
    if (found !== undefined) {
      const [name, category] = found;
      const text = format.slice(at, at + name.length);
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
