import type { Identifier, Path } from "../ast.ts";
import { KEYWORDS } from "../lexer/tables/keywords.ts";

const WORD = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The characters to escape in a quoted identifier. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must be escaped
const ESCAPED = /[\\`"\u0000-\u001f\u007f]/g;

const NAMED_ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escapeCharacter(character: string): string {
  const named = NAMED_ESCAPES[character];
  if (named !== undefined) return named;
  const code = character.charCodeAt(0);
  return code < 32 || code === 127 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\${character}`;
}

/** Any text as a literal in double quotes. */
export function printString(value: string): string {
  return `"${value.replace(ESCAPED, escapeCharacter)}"`;
}

/** Any name in back-ticks. */
function printQuotedName(name: string): string {
  return `\`${name.replace(ESCAPED, escapeCharacter)}\``;
}

/** A name in its original form: whether it is quoted is part of the tree. */
export function printIdentifier(identifier: Identifier): string {
  return identifier.isQuoted ? printQuotedName(identifier.name) : identifier.name;
}

/** A name the tree holds as plain text, such as a date part. */
export function printWord(name: string): string {
  if (!WORD.test(name) || KEYWORDS.get(name.toUpperCase())?.isReserved === true) return printQuotedName(name);
  return name;
}

/** The name of a parameter, which may be any word. */
export function printParameterName(name: string): string {
  return WORD.test(name) ? name : printQuotedName(name);
}

export function printPath(path: Path): string {
  return path.parts.map(printIdentifier).join(".");
}

export function printIdentifiers(identifiers: readonly Identifier[]): string {
  return identifiers.map(printIdentifier).join(", ");
}

/** ` AS alias`, or nothing. */
export function printAlias(alias: Identifier | undefined): string {
  return alias === undefined ? "" : ` AS ${printIdentifier(alias)}`;
}
