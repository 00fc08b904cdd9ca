/**
 * Text by Unicode's rules: case, normalisation forms, words. JavaScript's own case mappings are the full ones, which
 * DuckDB lacks.
 */
import { NEVER_FAILS } from "../../googlesql/catalogue/types.ts";
import { defineFunction, type ScalarFunction } from "../scalar-function.ts";

const FORMS: ReadonlySet<string> = new Set(["NFC", "NFKC", "NFD", "NFKD"]);

/** The text in a normalisation form; throws for a name other than NFC, NFKC, NFD and NFKD. */
function normalizeText(text: string, form: string): string {
  const name = form.toUpperCase();
  if (!FORMS.has(name)) throw new Error(`Invalid normalization mode '${form}': expected NFC, NFKC, NFD or NFKD`);
  return text.normalize(name);
}

/** Small letters of Cherokee, which fold to capitals: these are older in Unicode. */
const SMALL_CHEROKEE = /[\u13f8-\u13fd\uab70-\uabbf]/g;

function foldCherokee(small: string): string {
  const code = small.charCodeAt(0);
  return String.fromCharCode(code < 0xab70 ? code - 8 : code - 0xab70 + 0x13a0);
}

/**
 * Full case folding. Lower, upper and lower case again leave no distinction of case but two: a final sigma, and the
 * dotless i, which has its upper case in common with the dotted one.
 */
function foldCase(text: string): string {
  return text
    .split("ı")
    .map((part) => part.toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ"))
    .join("ı")
    .replace(SMALL_CHEROKEE, foldCherokee);
}

/** Normalised and folded. What folding decomposes stays so, as in the reference. */
export function normalizeAndCasefold(text: string, form: string): string {
  return foldCase(normalizeText(text, form));
}

const DEFAULT_DELIMITERS = '[](){}/|\\<>!?@"^#$&~_,.:;*%+-';

/** The upper case of one character, if that is a single character. */
function upperCharacter(character: string): string {
  const upper = character.toUpperCase();
  return [...upper].length === 1 ? upper : character;
}

function initcap(text: string, delimiters: string | undefined): string {
  const set = new Set(delimiters ?? DEFAULT_DELIMITERS);
  const isDelimiter = (character: string) => set.has(character) || (delimiters === undefined && /\s/u.test(character));
  let isStart = true;
  let result = "";
  for (const character of text) {
    const isBetween = isDelimiter(character);
    if (isBetween) result += character;
    else result += isStart ? upperCharacter(character) : character.toLowerCase();
    isStart = isBetween;
  }
  return result;
}

/**
 * Any text among `texts` (NULLs among them) that holds `search` in folded NFKC; without a match NULL when there is a
 * NULL.
 */
function containsText(texts: readonly (string | null)[], search: string): boolean | null {
  const wanted = normalizeAndCasefold(search, "NFKC");
  let hasNull = false;
  for (const text of texts) {
    if (text === null) hasNull = true;
    else if (normalizeAndCasefold(text, "NFKC").includes(wanted)) return true;
  }
  return hasNull ? null : false;
}

export const unicodeTextFunctions: readonly ScalarFunction[] = [
  defineFunction("lw_upper", ["STRING"], "STRING", (text) => text.toUpperCase(), NEVER_FAILS),
  defineFunction("lw_lower", ["STRING"], "STRING", (text) => text.toLowerCase(), NEVER_FAILS),
  defineFunction("lw_reverse", ["STRING"], "STRING", (text) => [...text].reverse().join(""), NEVER_FAILS),
  defineFunction("lw_normalize", ["STRING", "STRING"], "STRING", normalizeText, { fallibility: [1] }),
  defineFunction("lw_casefold", ["STRING", "STRING"], "STRING", normalizeAndCasefold, { fallibility: [1] }),
  defineFunction("lw_initcap", ["STRING"], "STRING", (text) => initcap(text, undefined), NEVER_FAILS),
  defineFunction("lw_initcap_by", ["STRING", "STRING"], "STRING", initcap, NEVER_FAILS),
  defineFunction("lw_contains_text", ["STRING[]", "STRING"], "BOOL", containsText, NEVER_FAILS),
];
