import type { SetOperationMode, SetOperator } from "../ast.ts";
import type { Token } from "../lexer/token.ts";
import type { Cursor } from "./cursor.ts";

/** `[LEFT|FULL|INNER] UNION ALL [BY NAME [ON (a, b)]]` and the like, if it stands here. */
export function parseSetOperationMode(cursor: Cursor): SetOperationMode | undefined {
  const outer = parseOuterMode(cursor);
  const operator = readOperator(cursor.token);
  if (operator === undefined) return undefined;
  if (operator === "EXCEPT" && cursor.peek().code !== "ALL" && cursor.peek().code !== "DISTINCT") {
    throw cursor.error('EXCEPT must be followed by ALL, DISTINCT, or "("', cursor.token);
  }
  cursor.advance();
  if (!cursor.is("ALL") && !cursor.is("DISTINCT")) throw cursor.expected("keyword ALL or keyword DISTINCT");
  const isAll = cursor.advance().code === "ALL";
  const strict = cursor.token;
  const isStrict = cursor.take("STRICT");
  const mode = { operator, isAll, ...(outer && { outer }), ...(isStrict && { isStrict }) };
  if (isStrict && outer !== undefined) {
    throw cursor.error("Syntax error: STRICT cannot be used with outer mode in set operations", strict);
  }
  if (cursor.take("CORRESPONDING")) {
    const on = cursor.take("BY") ? cursor.identifierList() : undefined;
    // CORRESPONDING keeps the columns that all inputs have, where BY NAME alone asks for the same ones everywhere.
    const matching = isStrict || outer !== undefined ? mode : { ...mode, outer: "INNER" as const };
    return { ...matching, byName: { ...(on && { on }) } };
  }
  if (!cursor.take("BY")) return mode;
  cursor.expect("NAME");
  if (isStrict) throw cursor.error("Syntax error: STRICT cannot be used with BY NAME in set operations", strict);
  const on = cursor.take("ON") ? cursor.identifierList() : undefined;
  return { ...mode, byName: { ...(on && { on }) } };
}

/** These words begin a join as well, so the operator after them decides. */
function parseOuterMode(cursor: Cursor): SetOperationMode["outer"] {
  const { code } = cursor.token;
  const next = cursor.peek();
  switch (code) {
    case "OUTER":
      cursor.advance();
      return "FULL";
    case "INNER":
      if (readOperator(next) === undefined) return undefined;
      cursor.advance();
      return code;
    case "LEFT":
    case "FULL": {
      const isOuter = next.code === "OUTER";
      if (readOperator(isOuter ? cursor.peek(2) : next) === undefined) return undefined;
      cursor.advance();
      if (isOuter) cursor.advance();
      return code;
    }
    default:
      return undefined;
  }
}

function readOperator(token: Token): SetOperator | undefined {
  const { code } = token;
  return code === "UNION" || code === "INTERSECT" || code === "EXCEPT" ? code : undefined;
}

/** Whether two operations of one chain are the same, as the grammar asks for. */
export function isSameMode(left: SetOperationMode, right: SetOperationMode): boolean {
  return (
    left.operator === right.operator &&
    left.isAll === right.isAll &&
    left.outer === right.outer &&
    left.isStrict === right.isStrict &&
    nameList(left) === nameList(right)
  );
}

function nameList(mode: SetOperationMode): string {
  if (mode.byName === undefined) return "";
  return JSON.stringify(mode.byName.on?.map((column) => column.name.toLowerCase()) ?? "all");
}
