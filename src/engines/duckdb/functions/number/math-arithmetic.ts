/** DIV, MOD and the SAFE_ forms of the arithmetic operators. */

import { textSql } from "../../sql/atoms.ts";
import { callSql, raiseError, tried } from "../../sql/forms.ts";
import { EMPTY, type Sql, sql } from "../../sql/sql.ts";
import { computeOnce } from "../compute-once.ts";
import type { FunctionTable, PrintCall } from "../types.ts";
import { asDouble, byNumberKind, ofDecimals } from "./number-kinds.ts";

/** DIV and MOD of INT64: DuckDB gives NULL for a zero divisor. */
function integerDivision(name: "DIV" | "MOD", compute: (x: Sql, y: Sql) => Sql): PrintCall {
  return byNumberKind({
    INT64: (x = EMPTY, y = EMPTY) => {
      const divisor = y.integer;
      if (divisor !== undefined && divisor !== 0n && divisor !== -1n) return sql`(${compute(x, y)})`;
      const message = sql`${textSql(`division by zero: ${name}(`)} || CAST(${x} AS VARCHAR) || ', 0)'`;
      if (divisor === 0n) return sql`CASE WHEN ${x} IS NOT NULL THEN ${raiseError(message)} ELSE NULL::BIGINT END`;
      // DuckDB fails for the remainder of the smallest INT64 by -1, which is 0.
      const minusOne = name === "MOD" ? sql` WHEN -1 THEN 0` : EMPTY;
      return computeOnce([x, y], name.toLowerCase(), (left, right) => {
        const failure = raiseError(sql`${textSql(`division by zero: ${name}(`)} || CAST(${left} AS VARCHAR) || ', 0)'`);
        return sql`
          CASE WHEN ${left} IS NULL THEN NULL ELSE CASE ${right} WHEN 0 THEN ${failure}${minusOne}
          ELSE ${compute(left, right)} END END
        `;
      });
    },
    ...ofDecimals(
      (_, kind) =>
        (...args) =>
          callSql(`lw_${kind}_${name.toLowerCase()}`, args),
    ),
  });
}

function safeDivideDoubles(x: Sql, y: Sql): Sql {
  return computeOnce([x, y], "safe_divide", (left, right) => {
    const quotient = sql`${left} / ${right}`;
    return sql`CASE WHEN ${right} = 0 OR isinf(${quotient}) AND isfinite(${left}) THEN NULL ELSE ${quotient} END`;
  });
}

export const arithmeticFunctions: FunctionTable = {
  DIV: integerDivision("DIV", (x, y) => sql`${x} // ${y}`),
  MOD: integerDivision("MOD", (x, y) => sql`${x} % ${y}`),
  SAFE_DIVIDE: byNumberKind({
    INT64: (x = EMPTY, y = EMPTY) => safeDivideDoubles(asDouble(x), asDouble(y)),
    FLOAT64: (x = EMPTY, y = EMPTY) => safeDivideDoubles(x, y),
    ...ofDecimals(
      (forms) =>
        (...args) =>
          // If an argument fails, so does the query.
          computeOnce(args, "safe_divide", (x, y) => tried(forms.divide(x, y))),
    ),
  }),
};
