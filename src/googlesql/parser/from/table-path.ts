import type { Identifier, Path } from "../../ast.ts";
import type { Cursor } from "../cursor.ts";

/**
 * The path of a table. Its first name may hold dashes, as project names do: `my-project.data.events`. A number in it
 * that ends in a dot has taken the dot of the path along: `a-1.b`.
 */
export function parseTablePath(cursor: Cursor): Path {
  const parts = parseDashedName(cursor);
  while (cursor.take(".")) {
    if (cursor.is("(")) {
      const message =
        "Syntax error: Generalized field access is not allowed in the " +
        "FROM clause without UNNEST; Use UNNEST(<expression>)";
      throw cursor.error(message, cursor.token);
    }
    parts.push(cursor.identifier());
  }
  return cursor.pathOf(parts);
}

function parseDashedName(cursor: Cursor): Identifier[] {
  const first = cursor.identifier();
  if (first.isQuoted || !isAdjacentDash(cursor)) return [first];
  let { name } = first;
  while (isAdjacentDash(cursor)) {
    const dash = cursor.advance();
    const { token } = cursor;
    const isName = token.kind === "identifier" || token.kind === "keyword";
    const isNumber = token.kind === "integer" || (token.kind === "float" && token.value.endsWith("."));
    if (!cursor.isAdjacent(dash, token) || (!isName && !isNumber)) throw cursor.unexpected(dash);
    cursor.advance();
    if (token.kind === "float") {
      const dashed = nameOf(`${name}-${token.value.slice(0, -1)}`, first.span.start, token.end - 1);
      return [dashed, cursor.identifier()];
    }
    name += `-${token.value}`;
  }
  return [nameOf(name, first.span.start, cursor.previousEnd)];
}

function isAdjacentDash(cursor: Cursor): boolean {
  return cursor.is("-") && cursor.token.start === cursor.previousEnd;
}

function nameOf(name: string, start: number, end: number): Identifier {
  return { kind: "Identifier", span: { start, end }, name, isQuoted: false };
}
