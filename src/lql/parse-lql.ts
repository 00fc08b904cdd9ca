import type { Span } from "../googlesql/diagnostic.ts";
import { type ChartParts, readChart, toChart } from "./chart.ts";
import { readPath } from "./field-path.ts";
import { readFieldValue } from "./field-value.ts";
import type { LqlFilter, LqlOperator, LqlQuery, LqlSelect } from "./lql-ast.ts";
import { Scanner } from "./scanner.ts";
import { readTimeValue } from "./time-value.ts";

/** The maximum number of clauses in an LQL text. */
const maxClauses = 100;
/** The maximum number of columns in `s:`. */
const maxSelects = 50;
const maxGroupDepth = 20;

interface Parts {
  from: LqlQuery["from"];
  readonly selects: LqlSelect[];
  readonly charts: ChartParts[];
  clauseCount: number;
  readonly nowMs: number;
}

/**
 * Reads an LQL text: adjacent clauses must all hold, `OR` and parentheses combine clauses, `-` negates one. `nowMs` is
 * the clock for `now`, `today` and `last@...`. Throws `LqlError`; no part of the text is ignored.
 */
export function parseLql(text: string, nowMs: number): LqlQuery {
  const scanner = new Scanner(text);
  const parts: Parts = { from: undefined, selects: [], charts: [], clauseCount: 0, nowMs };
  const filter = readAlternatives(scanner, parts, 0);
  if (!scanner.isAtEnd) throw scanner.error("This does not parse");
  if (parts.clauseCount === 0) throw scanner.error("The LQL text is empty", 0);
  const chart = toChart(parts.charts);
  return { span: { start: 0, end: text.length }, from: parts.from, selects: parts.selects, chart, filter };
}

/** Clauses with OR between them, up to the end or the `)` of the group. */
function readAlternatives(scanner: Scanner, parts: Parts, depth: number): LqlFilter | undefined {
  scanner.skipSpace();
  const start = scanner.position;
  const alternatives: LqlFilter[] = [];
  for (;;) {
    const clausesStart = scanner.position;
    const clauses = readClauses(scanner, parts, depth);
    const all = combine("And", clauses, { start: clausesStart, end: scanner.position });
    const orStart = scanner.position;
    const hasOr = scanner.take(/OR(?=[\s(])|OR$/y) !== undefined;
    if (!hasOr && alternatives.length === 0) return all;
    if (all === undefined) throw scanner.error("OR stands between two filters", orStart);
    alternatives.push(all);
    if (!hasOr) return combine("Or", alternatives, { start, end: scanner.position });
    scanner.skipSpace();
    if (scanner.isAtEnd) throw scanner.error("OR stands between two filters", orStart);
  }
}

function readClauses(scanner: Scanner, parts: Parts, depth: number): LqlFilter[] {
  const filters: LqlFilter[] = [];
  for (;;) {
    scanner.skipSpace();
    if (scanner.isAtEnd || scanner.peek(/OR(?=[\s(])|OR$/y) !== undefined) return filters;
    if (depth > 0 && scanner.peek(/\)/y) !== undefined) return filters;
    if (++parts.clauseCount > maxClauses) throw scanner.error(`More than ${maxClauses} clauses`);
    const filter = readClause(scanner, parts, depth);
    if (filter !== undefined) filters.push(filter);
  }
}

function combine(kind: "And" | "Or", operands: readonly LqlFilter[], span: Span): LqlFilter | undefined {
  return operands.length > 1 ? { kind, operands, span } : operands[0];
}

function readClause(scanner: Scanner, parts: Parts, depth: number): LqlFilter | undefined {
  const start = scanner.position;
  const isNegated = scanner.take(/-/y) !== undefined;
  if (scanner.peek(/(?:f|from|s|select|c|chart):/y) !== undefined) {
    if (isNegated || depth > 0)
      throw scanner.error("f:, s: and c: stand for themselves, outside of - and parentheses", start);
    readQueryPart(scanner, parts);
    return undefined;
  }
  const operand = readFilter(scanner, parts, depth);
  return isNegated ? { kind: "Not", operand, span: { start, end: scanner.position } } : operand;
}

/** The clauses that are not conditions: table, columns and chart. */
function readQueryPart(scanner: Scanner, parts: Parts): void {
  const start = scanner.position;
  const kind = scanner.take(/(f|s|c)[a-z]*:/y)?.[1];
  if (kind === "c") {
    parts.charts.push(readChart(scanner, start));
    return;
  }
  if (kind === "f") {
    if (parts.from !== undefined) throw scanner.error("There is more than one f: clause", start);
    const name = scanner.take(/[A-Za-z0-9_]+(?:[.-][A-Za-z0-9_]+)*/y)?.[0];
    if (name === undefined) throw scanner.error("The table's name is missing");
    parts.from = { name, span: { start: scanner.position - name.length, end: scanner.position } };
  } else {
    const path = scanner.take(/\*/y) === undefined ? readPath(scanner, "The selected field is missing") : undefined;
    const alias = path !== undefined && scanner.take(/@/y) !== undefined ? readAlias(scanner) : undefined;
    if (parts.selects.length === maxSelects) throw scanner.error(`More than ${maxSelects} selected fields`, start);
    parts.selects.push({ path, alias, span: { start, end: scanner.position } });
  }
  requireEnd(scanner);
}

function readAlias(scanner: Scanner): string {
  const alias = scanner.take(/[A-Za-z0-9_]+/y)?.[0];
  if (alias === undefined) throw scanner.error("The alias behind @ is missing");
  return alias;
}

const operators: readonly (readonly [RegExp, LqlOperator])[] = [
  [/:@>~/y, "includes-match"],
  [/:@>/y, "includes"],
  [/:>=/y, ">="],
  [/:>/y, ">"],
  [/:<=/y, "<="],
  [/:</y, "<"],
  [/:~/y, "matches"],
  [/:/y, "="],
];

function readFilter(scanner: Scanner, parts: Parts, depth: number): LqlFilter {
  const start = scanner.position;
  if (scanner.take(/\(/y) !== undefined) return readGroup(scanner, parts, depth, start);
  if (scanner.peek(/\)/y) !== undefined) throw scanner.error("This parenthesis closes no group");
  if (scanner.peek(/[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*:/y) !== undefined) return readComparison(scanner, parts.nowMs);
  const isPattern = scanner.take(/~/y) !== undefined;
  const quoted = scanner.takeQuoted();
  const text = quoted ?? readWord(scanner, depth > 0);
  if (text === undefined) throw scanner.error("This does not parse");
  if (quoted === undefined) requireEnd(scanner);
  return { kind: "Message", text, isPattern, span: { start, end: scanner.position } };
}

function readGroup(scanner: Scanner, parts: Parts, depth: number, start: number): LqlFilter {
  if (depth === maxGroupDepth) throw scanner.error(`Groups nest deeper than ${maxGroupDepth} levels`, start);
  const filter = readAlternatives(scanner, parts, depth + 1);
  if (scanner.take(/\)/y) === undefined) throw scanner.error("The group has no closing parenthesis", start);
  if (filter === undefined) throw scanner.error("The group is empty", start);
  return filter;
}

function readComparison(scanner: Scanner, nowMs: number): LqlFilter {
  const start = scanner.position;
  const path = readPath(scanner, "The field is missing");
  const operator = operators.find(([pattern]) => scanner.take(pattern) !== undefined)?.[1] ?? "=";
  const isTime = path.length === 1 && path[0] === "timestamp";
  const value =
    isTime && !scanner.isAtEnd ? readTimeValue(scanner, operator, nowMs) : readFieldValue(scanner, path, operator);
  if (scanner.text[scanner.position - 1] !== '"' && scanner.text[scanner.position - 1] !== ")") requireEnd(scanner);
  return { kind: "Comparison", path, operator, value, span: { start, end: scanner.position } };
}

const word = /(?:\\"|[\p{L}\p{N}._!%$^\\+[\]?(){}#&*\-/<=>@;,|])+/uy;

/** Reads letters, digits and signs, without quotes and colons; in a group up to the parenthesis that closes it. */
function readWord(scanner: Scanner, isInGroup: boolean): string | undefined {
  const match = scanner.peek(word);
  if (match === undefined) return undefined;
  const text = isInGroup ? upToClosing(match[0]) : match[0];
  scanner.position += text.length;
  return text === "" ? undefined : text;
}

function upToClosing(text: string): string {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    if (text[index] === "(") depth++;
    if (text[index] === ")" && --depth < 0) return text.slice(0, index);
  }
  return text;
}

/** Requires space, a closing parenthesis or the end after a value that does not show its own end. */
function requireEnd(scanner: Scanner): void {
  if (scanner.peek(/\s|$|\)/y) === undefined)
    throw scanner.error("This does not parse; a text with such a character stands in double quotes");
}
