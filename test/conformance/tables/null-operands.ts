/** A NULL without a type beside an operator is an error, and NULL with one is not. Source: "Operators". */
import { type CaseTable, pairs } from "./table.ts";

const BINARY = ["+", "-", "*", "/", "=", "!=", "<>", "<", "<=", ">", ">=", "||", "&", "|", "^", "LIKE", "NOT LIKE"];
const UNARY = ["-", "+", "~", "NOT"];

function typed(operator: string): string {
  const type = operator === "||" || operator.endsWith("LIKE") ? "STRING" : operator === "NOT" ? "BOOL" : "INT64";
  return `CAST(NULL AS ${type})`;
}

function other(operator: string): string {
  return operator === "||" || operator.endsWith("LIKE") ? "'a'" : "1";
}

/** Operators with NULL on either side. */
export const nullOperands: readonly CaseTable[] = [
  {
    name: "NULL beside operators",
    cases: [
      ...pairs(BINARY, [true, false]).map(([operator, isLeft]) => ({
        query: `SELECT ${isLeft ? `NULL ${operator} ${other(operator)}` : `${other(operator)} ${operator} NULL`}`,
        error: /Operands of \S+( LIKE)? cannot be literal NULL/,
      })),
      ...UNARY.map((operator) => ({ query: `SELECT ${operator} NULL`, error: /cannot be literal NULL/ })),
    ],
  },
  {
    name: "typed NULL beside operators",
    cases: [
      ...BINARY.map((operator) => ({
        query: `SELECT ${typed(operator)} ${operator} ${other(operator)}`,
        rows: [[null]],
      })),
      ...UNARY.map((operator) => ({ query: `SELECT ${operator} ${typed(operator)}`, rows: [[null]] })),
    ],
  },
];
