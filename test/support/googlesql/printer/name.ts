import type { Identifier, Path } from "../../../../src/googlesql/ast.ts";
import { KEYWORDS } from "../../../../src/googlesql/lexer/tables/keywords.ts";
import { printString } from "../../../../src/googlesql/string-literal.ts";

const WORD = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Any name in back-ticks. */
function printQuotedName(name: string): string {
  return `\`${printString(name).slice(1, -1)}\``;
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
