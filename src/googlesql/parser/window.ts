import type { FrameBound, NamedWindow, WindowFrame, WindowSpecification } from "../ast.ts";
import { parseList, parseOrderBy, parsePartitionBy } from "./clause.ts";
import type { Cursor } from "./cursor.ts";

/**
 * Parses the specification after OVER, or after AS in a WINDOW clause. Source: "Window function calls" of the GoogleSQL
 * reference.
 */
export function parseWindowSpecification(cursor: Cursor): WindowSpecification {
  const { start } = cursor.token;
  if (cursor.isIdentifier()) {
    const base = cursor.takeIdentifier();
    return { kind: "WindowSpecification", span: base.span, base, partitionBy: [], orderBy: [] };
  }
  cursor.expect("(");
  const base = cursor.isIdentifier() ? cursor.takeIdentifier() : undefined;
  const partitionBy = parsePartitionBy(cursor);
  const orderBy = cursor.is("ORDER") ? parseOrderBy(cursor) : [];
  const frame = parseFrame(cursor);
  if (!cursor.is(")")) {
    throw cursor.expected(frame === undefined ? '")" or keyword ORDER or keyword RANGE or keyword ROWS' : '")"');
  }
  cursor.advance();
  return { kind: "WindowSpecification", span: cursor.spanFrom(start), base, partitionBy, orderBy, frame };
}

function parseFrame(cursor: Cursor): WindowFrame | undefined {
  const { start, code } = cursor.token;
  if (code !== "ROWS" && code !== "RANGE") return undefined;
  cursor.advance();
  if (!cursor.take("BETWEEN")) return { span: cursor.spanFrom(start), unit: code, start: parseBound(cursor) };
  const low = parseBound(cursor);
  cursor.expect("AND");
  const high = parseBound(cursor);
  return { span: cursor.spanFrom(start), unit: code, start: low, end: high };
}

function parseBound(cursor: Cursor): FrameBound {
  if (cursor.take("UNBOUNDED")) {
    return { kind: takeDirection(cursor) === "PRECEDING" ? "UnboundedPreceding" : "UnboundedFollowing" };
  }
  if (cursor.take("CURRENT")) {
    cursor.expect("ROW");
    return { kind: "CurrentRow" };
  }
  const offset = cursor.rules.expression(cursor);
  return { kind: takeDirection(cursor) === "PRECEDING" ? "Preceding" : "Following", offset };
}

function takeDirection(cursor: Cursor): "PRECEDING" | "FOLLOWING" {
  if (cursor.take("PRECEDING")) return "PRECEDING";
  if (cursor.take("FOLLOWING")) return "FOLLOWING";
  throw cursor.expected("keyword FOLLOWING or keyword PRECEDING");
}

/** `WINDOW a AS (...), b AS a`, if it stands here. Pipe operators allow a trailing comma. */
export function parseWindowClause(cursor: Cursor, allowsTrailingComma: boolean): NamedWindow[] {
  if (!cursor.take("WINDOW")) return [];
  return parseList(cursor, parseNamedWindow, allowsTrailingComma);
}

function parseNamedWindow(cursor: Cursor): NamedWindow {
  const name = cursor.identifier();
  cursor.expect("AS");
  const window = parseWindowSpecification(cursor);
  return { span: cursor.spanFrom(name.span.start), name, window };
}
