import type { Expression, Identifier, Join, JoinType, TableExpression } from "../../ast.ts";
import type { Token } from "../../lexer/token.ts";
import { MAX_CHAIN_LENGTH, MAX_NESTING_DEPTH } from "../../limits.ts";
import type { Cursor } from "../cursor.ts";

/** `ON condition` or `USING (columns)`, with the keyword's token. */
export interface JoinCondition {
  readonly keyword: Token;
  readonly on: Expression | undefined;
  readonly using: readonly Identifier[] | undefined;
}

/** The tokens before JOIN, JOIN included. */
export interface JoinHead {
  readonly first: Token;
  readonly type: JoinType;
  /** CROSS and NATURAL joins take no condition. */
  readonly needsCondition: boolean;
}

/** One `JOIN table ON ...` of a chain. */
interface JoinPart {
  readonly head: JoinHead;
  readonly right: TableExpression;
  readonly conditions: readonly JoinCondition[];
}

type ParseTable = (cursor: Cursor) => TableExpression;

/**
 * `[NATURAL] [LEFT|RIGHT|FULL [OUTER]|INNER|CROSS] [HASH|LOOKUP] JOIN`, if it stands here. The hints change no
 * result.
 */
export function parseJoinHead(cursor: Cursor): JoinHead | undefined {
  const first = cursor.token;
  const isNatural = cursor.take("NATURAL");
  const type = readJoinType(cursor);
  if (type !== undefined) {
    cursor.advance();
    if (type === "LEFT" || type === "RIGHT" || type === "FULL") cursor.take("OUTER");
  }
  const isHinted = cursor.take("HASH") || cursor.take("LOOKUP");
  if (type === undefined && !isNatural && !isHinted && !cursor.is("JOIN")) return undefined;
  cursor.expect("JOIN");
  if (isNatural)
    cursor.refuse("NATURAL JOIN is not supported; name the columns in USING", first, "unsupported", "NATURAL");
  return { first, type: type ?? "INNER", needsCondition: type !== "CROSS" && !isNatural };
}

function readJoinType(cursor: Cursor): JoinType | undefined {
  const { code } = cursor.token;
  switch (code) {
    case "LEFT":
    case "FULL":
    case "INNER": {
      // LEFT, FULL and INNER may also begin a set operation.
      const next = cursor.peek().code === "OUTER" ? cursor.peek(2).code : cursor.peek().code;
      return next === "UNION" || next === "INTERSECT" || next === "EXCEPT" ? undefined : code;
    }
    case "RIGHT":
    case "CROSS":
      return code;
    default:
      return undefined;
  }
}

/** `ON condition` or `USING (columns)`, if it stands here. */
export function parseJoinCondition(cursor: Cursor): JoinCondition | undefined {
  const keyword = cursor.token;
  if (cursor.take("ON")) return { keyword, on: cursor.rules.expression(cursor), using: undefined };
  if (cursor.take("USING")) return { keyword, on: undefined, using: cursor.identifierList() };
  return undefined;
}

/** The joins that follow `first`, up to a comma or the end of the chain. */
export function parseJoins(
  cursor: Cursor,
  first: TableExpression,
  parseTable: ParseTable,
  isAfterComma = false,
): TableExpression {
  const parts: JoinPart[] = [];
  for (;;) {
    const head = parseJoinHead(cursor);
    if (head === undefined) break;
    if (isAfterComma && (head.type === "FULL" || head.type === "RIGHT")) throw refuseAfterComma(cursor, head);
    if (parts.length >= MAX_CHAIN_LENGTH) {
      throw cursor.error(`FROM clause has more than ${MAX_CHAIN_LENGTH} joins`, head.first, "too_complex");
    }
    const right = parseTable(cursor);
    const conditions: JoinCondition[] = [];
    for (let next = parseJoinCondition(cursor); next !== undefined; next = parseJoinCondition(cursor)) {
      conditions.push(next);
    }
    parts.push({ head, right, conditions });
  }
  return combineJoins(cursor, first, parts);
}

function refuseAfterComma(cursor: Cursor, head: JoinHead): Error {
  const message =
    `Syntax error: ${head.type} JOIN must be parenthesized when following a comma join.  Also, if the preceding ` +
    "comma join is a correlated CROSS JOIN that unnests an array, then CROSS " +
    "JOIN syntax must be used in place of the comma join";
  return cursor.error(message, head.first);
}

/**
 * Without consecutive conditions a chain is left-deep. With them (`a JOIN b JOIN c ON x ON y`) each condition belongs
 * to the nearest join before it that has none, as parentheses do, and then every join must get one.
 */
function combineJoins(cursor: Cursor, first: TableExpression, parts: readonly JoinPart[]): TableExpression {
  if (parts.every((part) => part.conditions.length <= 1)) {
    return parts.reduce((left, part) => joinOf(left, part.head, part.right, part.conditions[0]), first);
  }
  if (cursor.isPipeJoin) throw refuseSecond(cursor, parts);
  const open: { left: TableExpression; part: JoinPart }[] = [];
  let current = first;
  let conditionCount = 0;
  for (const part of parts) {
    conditionCount += part.conditions.length;
    if (part.head.needsCondition) {
      open.push({ left: current, part });
      if (open.length > MAX_NESTING_DEPTH) {
        throw cursor.error(
          `Joins are nested more than ${MAX_NESTING_DEPTH} levels deep`,
          part.head.first,
          "too_complex",
        );
      }
      current = part.right;
    } else {
      current = joinOf(current, part.head, part.right);
    }
    for (const condition of part.conditions) {
      const join = open.pop();
      if (join === undefined) throw refuseCondition(cursor, condition, parts);
      current = joinOf(join.left, join.part.head, current, condition);
    }
  }
  const [unmatched] = open;
  if (unmatched !== undefined) {
    const needed = parts.filter((part) => part.head.needsCondition).length;
    const message =
      `Syntax error: The number of join conditions is ${conditionCount} but the number of joins that require a ` +
      `join condition is ${needed}. ${unmatched.part.head.type} JOIN must have an ON or USING clause`;
    throw cursor.error(message, unmatched.part.head.first);
  }
  return current;
}

/** A join in a pipe takes one condition, and so do those in its parentheses. */
function refuseSecond(cursor: Cursor, parts: readonly JoinPart[]): Error {
  const second = parts.find((part) => part.conditions.length > 1)?.conditions[1];
  const keyword = second?.keyword ?? cursor.token;
  return cursor.error(`Syntax error: Expected end of input but got keyword ${keyword.code}`, keyword);
}

function refuseCondition(cursor: Cursor, condition: JoinCondition, parts: readonly JoinPart[]): Error {
  const count = parts.reduce((sum, part) => sum + part.conditions.length, 0);
  const needed = parts.filter((part) => part.head.needsCondition).length;
  const message =
    `Syntax error: The number of join conditions is ${count} but the number of joins that require a join ` +
    `condition is only ${needed}. Unexpected keyword ${condition.keyword.code}`;
  return cursor.error(message, condition.keyword);
}

function joinOf(left: TableExpression, head: JoinHead, right: TableExpression, condition?: JoinCondition): Join {
  return {
    kind: "Join",
    span: { start: left.span.start, end: Math.max(right.span.end, conditionEnd(condition)) },
    type: head.type,
    left,
    right,
    on: condition?.on,
    using: condition?.using,
  };
}

function conditionEnd(condition: JoinCondition | undefined): number {
  return condition?.on?.span.end ?? condition?.using?.at(-1)?.span.end ?? 0;
}
