import type { TableExpression } from "../../ast.ts";
import { MAX_CHAIN_LENGTH } from "../../limits.ts";
import type { Cursor } from "../cursor.ts";
import { parseJoins } from "./join.ts";
import { parseTable } from "./table.ts";

/** Parses the tables after FROM: joins and commas between them associate to the left. */
export function parseFrom(cursor: Cursor): TableExpression {
  const { start } = cursor.token;
  let from = parseJoins(cursor, parseTable(cursor), parseTable);
  for (let commas = 1; cursor.is(","); commas++) {
    if (commas > MAX_CHAIN_LENGTH) {
      throw cursor.error(`FROM clause has more than ${MAX_CHAIN_LENGTH} joins`, cursor.token, "too_complex");
    }
    cursor.advance();
    const right = parseTable(cursor);
    const span = cursor.spanFrom(start);
    from = parseJoins(cursor, { kind: "Join", span, type: "COMMA", left: from, right }, parseTable, true);
  }
  return from;
}
