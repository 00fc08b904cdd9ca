/**
 * The format elements of CAST(number AS STRING FORMAT ...). Source: GoogleSQL's "Format numeric type as string" page.
 */

/** A format, taken apart. */
export interface NumberFormat {
  readonly kind: "decimal" | "hexadecimal";
  /** Digits, group separators, the point and the exponent, in order: `9 0 , . V E e X x`. */
  readonly elements: readonly string[];
  /** Where the integer part ends among the elements. */
  readonly pointIndex: number;
  readonly integerDigits: number;
  readonly scale: number;
  /** Index of the first `0` among the elements; -1 for none. */
  readonly firstZero: number;
  readonly hasExponent: boolean;
  readonly sign: "none" | "S-front" | "S-back" | "MI" | "PR";
  /** `$`, `USD` or `usd`; empty for none. */
  readonly currency: string;
  /** B: a zero integer part leaves blanks. */
  readonly isBlankWhenZero: boolean;
  /** FM: no blanks and no trailing zeros. */
  readonly isCompact: boolean;
}

const tokenPattern = /EEEE|TM9|TME|TM|MI|PR|RN|FM|[$09X.D,GSBVCL]/iy;

function invalid(reason: string): Error {
  return new Error(`Error in format string: ${reason}`);
}

/** Upper-case names; the letter case of those where it matters is kept in `spelled`. */
function readTokens(format: string): readonly { readonly name: string; readonly spelled: string }[] {
  const tokens: { readonly name: string; readonly spelled: string }[] = [];
  tokenPattern.lastIndex = 0;
  for (let at = 0; at < format.length; at = tokenPattern.lastIndex) {
    tokenPattern.lastIndex = at;
    const spelled = tokenPattern.exec(format)?.[0];
    if (spelled === undefined) throw invalid(`Invalid format element '${format.charAt(at)}'`);
    tokens.push({ name: spelled.toUpperCase(), spelled });
  }
  return tokens;
}

function createDraft() {
  return {
    elements: [] as string[],
    stage: "start" as "start" | "integer" | "fraction" | "exponent" | "end" | "hexadecimal",
    pointIndex: -1,
    digits: 0,
    scale: 0,
    has9: false,
    hasGroup: false,
    sign: "none" as NumberFormat["sign"],
    currency: "",
    isBlankWhenZero: false,
    isCompact: false,
  };
}

type Draft = ReturnType<typeof createDraft>;

function addSign(draft: Draft, name: string): void {
  if (draft.stage === "start") {
    if (name !== "S") throw invalid(`'${name}' can only appear after all digits and 'EEEE'`);
    draft.sign = "S-front";
    draft.stage = "integer";
    return;
  }
  if (draft.sign !== "none") throw invalid("There can be at most one of 'S', 'MI', or 'PR'");
  draft.sign = name === "S" ? "S-back" : name === "MI" ? "MI" : "PR";
  draft.stage = "end";
}

function addDigit(draft: Draft, name: string, spelled: string): void {
  if (draft.stage === "end") throw invalid(`${signName(draft)} can only appear after all digits and 'EEEE'`);
  if (draft.stage === "exponent") throw invalid(`'${name}' cannot appear after 'EEEE'`);
  if (name === "X") {
    if (draft.stage === "fraction") throw invalid("'X' cannot appear together with '.', 'D' or 'V'");
    if (draft.has9) throw invalid("'X' cannot appear together with '9'");
    if (draft.hasGroup) throw invalid("'X' cannot appear together with ',' or 'G'");
    draft.stage = "hexadecimal";
  } else if (draft.stage === "hexadecimal") {
    if (name === "9") throw invalid("'X' cannot appear together with '9'");
  } else if (draft.stage === "fraction") {
    draft.scale += 1;
  } else {
    draft.stage = "integer";
  }
  draft.has9 ||= name === "9";
  draft.digits += 1;
  draft.elements.push(spelled);
}

function signName(draft: Draft): string {
  return draft.sign.startsWith("S") ? "'S'" : `'${draft.sign}'`;
}

function addPoint(draft: Draft, name: string): void {
  if (draft.stage === "fraction") throw invalid("There can be at most one of '.', 'D', or 'V'");
  if (draft.stage !== "start" && draft.stage !== "integer") throw invalid(`Unexpected '${name}'`);
  draft.pointIndex = draft.elements.length;
  draft.elements.push(name === "D" ? "." : name);
  draft.stage = "fraction";
}

function addGroup(draft: Draft, name: string): void {
  if (draft.stage === "fraction") throw invalid("',' or 'G' cannot appear after '.', 'D' or 'V'");
  if (draft.stage === "exponent") throw invalid("',' or 'G' cannot appear together with 'EEEE'");
  if (draft.stage !== "integer") throw invalid(`Unexpected '${name}'`);
  draft.hasGroup = true;
  draft.elements.push(",");
}

function addExponent(draft: Draft, spelled: string): void {
  if (draft.hasGroup) throw invalid("',' or 'G' cannot appear together with 'EEEE'");
  if (draft.stage !== "integer" && draft.stage !== "fraction") throw invalid("Unexpected 'EEEE'");
  if (draft.pointIndex === -1) draft.pointIndex = draft.elements.length;
  draft.elements.push(spelled.startsWith("E") ? "E" : "e");
  draft.stage = "exponent";
}

function addCurrency(draft: Draft, name: string, spelled: string): void {
  if (draft.currency !== "") throw invalid("There can be at most one of '$', 'C' or 'L'");
  draft.currency = name !== "C" ? "$" : spelled === "C" ? "USD" : "usd";
}

function addToken(draft: Draft, name: string, spelled: string): void {
  switch (name) {
    case "FM":
      if (draft.isCompact) throw invalid("'FM' cannot be repeated");
      draft.isCompact = true;
      return;
    case "B":
      if (draft.isBlankWhenZero) throw invalid("There can be at most one 'B'");
      draft.isBlankWhenZero = true;
      return;
    case "$":
    case "C":
    case "L":
      addCurrency(draft, name, spelled);
      return;
    case "S":
    case "MI":
    case "PR":
      addSign(draft, name);
      return;
    case "0":
    case "9":
    case "X":
      addDigit(draft, name, spelled);
      return;
    case ".":
    case "D":
    case "V":
      addPoint(draft, name);
      return;
    case ",":
    case "G":
      addGroup(draft, name);
      return;
    case "EEEE":
      addExponent(draft, spelled);
      return;
    default:
      throw invalid(`'${name}' is not supported`);
  }
}

const MAX_HEX_DIGITS = 16;

/** In hexadecimal formats a `0` prints in the letter case of the X after it. */
function hexElements(elements: readonly string[]): readonly string[] {
  let letterCase = "X";
  return [...elements]
    .reverse()
    .map((element) => {
      if (element !== "0") letterCase = element;
      return letterCase;
    })
    .reverse();
}

/** Takes a format apart. Throws for elements that the reference does not let stand together. */
export function readNumberFormat(format: string): NumberFormat {
  const draft = createDraft();
  for (const { name, spelled } of readTokens(format)) addToken(draft, name, spelled);
  if (draft.digits === 0) throw invalid("Format string must contain at least one of 'X', '0' or '9'");
  const { sign, currency, isBlankWhenZero, isCompact, scale } = draft;
  const isHex = draft.elements.some((element) => element === "X" || element === "x");
  if (isHex && (currency !== "" || isBlankWhenZero))
    throw invalid("'X' cannot appear together with 'B', '$', 'C' or 'L'");
  if (isHex && draft.digits > MAX_HEX_DIGITS) throw invalid(`Max number of 'X' is ${MAX_HEX_DIGITS}`);
  const hasExponent = draft.elements.some((element) => element === "E" || element === "e");
  const firstZero = draft.elements.indexOf("0");
  let pointIndex = draft.pointIndex === -1 ? draft.elements.length : draft.pointIndex;
  let elements: readonly string[] = isHex ? hexElements(draft.elements) : draft.elements;
  if (hasExponent && pointIndex >= 2) {
    // Before the point of a number with an exponent stands one digit.
    elements = elements.slice(pointIndex - 1);
    pointIndex = 1;
  }
  const kind = isHex ? "hexadecimal" : "decimal";
  const integerDigits = draft.digits - scale;
  return {
    kind,
    elements,
    pointIndex,
    integerDigits,
    scale,
    firstZero,
    hasExponent,
    sign,
    currency,
    isBlankWhenZero,
    isCompact,
  };
}
