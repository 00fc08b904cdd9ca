import { isDigit, isHexDigit, isHexInteger, isWordPart } from "./characters.ts";

/** Where a numeric literal ends, and which kind it is. */
export interface NumberScan {
  readonly kind: "integer" | "float";
  readonly end: number;
}

function skipDigits(text: string, from: number): number {
  let at = from;
  while (isDigit(text.charCodeAt(at))) at++;
  return at;
}

/** The end of `e10` or `e+10` at `from`, or `from` where there is none. `e10x` is no exponent but a word. */
function skipExponent(text: string, from: number): number {
  if ((text.charCodeAt(from) | 32) !== 101) return from;
  const sign = text.charCodeAt(from + 1);
  const isSigned = sign === 43 || sign === 45;
  const digits = isSigned ? from + 2 : from + 1;
  const end = skipDigits(text, digits);
  if (end === digits) return from;
  if (isSigned ? isHexInteger(text, digits) : isWordPart(text.charCodeAt(end))) return from;
  return end;
}

/** Reads the literal that begins with a digit at `start`: `12`, `0x1F`, `1.`, `1.5e-3`, `1e10`. */
export function scanNumber(text: string, start: number): NumberScan {
  if (isHexInteger(text, start)) {
    let end = start + 2;
    while (isHexDigit(text.charCodeAt(end))) end++;
    return { kind: "integer", end };
  }
  const whole = skipDigits(text, start);
  if (text.charCodeAt(whole) !== 46) {
    const end = skipExponent(text, whole);
    return { kind: end === whole ? "integer" : "float", end };
  }
  // `1.0x2` is the number `1.` and the number `0x2`.
  const fraction = isHexInteger(text, whole + 1) ? whole + 1 : skipDigits(text, whole + 1);
  return { kind: "float", end: skipExponent(text, fraction) };
}

/** The end of the literal `.5` or `.5e3` at the dot at `start`, or `undefined` where the dot begins no number. */
export function scanFraction(text: string, start: number): number | undefined {
  if (!isDigit(text.charCodeAt(start + 1)) || isHexInteger(text, start + 1)) return undefined;
  return skipExponent(text, skipDigits(text, start + 1));
}
