/** Printing a call of numbers by their type. */

import { castTo } from "../../sql/forms.ts";
import type { Sql } from "../../sql/sql.ts";
import { DOUBLE } from "../../sql/types.ts";
import type { PrintCall } from "../types.ts";
import { DECIMALS, type DecimalForms, type DecimalKind } from "./decimal.ts";

type PrintArguments = (...args: readonly Sql[]) => Sql;

interface NumberPrinters {
  readonly INT64: PrintArguments;
  readonly FLOAT64?: PrintArguments;
  readonly NUMERIC: PrintArguments;
  readonly BIGNUMERIC: PrintArguments;
}

/** Prints by the type of the first argument. An untyped NULL counts as INT64. */
export function byNumberKind(print: NumberPrinters): PrintCall {
  return ({ args, types }) => {
    const kind = types[0]?.kind;
    const isOther = kind === "FLOAT64" || kind === "NUMERIC" || kind === "BIGNUMERIC";
    return (isOther ? (print[kind] ?? print.INT64) : print.INT64)(...args);
  };
}

/** An INT64 as FLOAT64. */
export function asDouble(sql: Sql): Sql {
  return castTo(sql, DOUBLE);
}

/** The same for both decimal types: by their forms, or their names in those of JavaScript functions. */
export function ofDecimals(
  print: (forms: DecimalForms, kind: "numeric" | "bignumeric") => PrintArguments,
): Pick<NumberPrinters, DecimalKind> {
  return { NUMERIC: print(DECIMALS.NUMERIC, "numeric"), BIGNUMERIC: print(DECIMALS.BIGNUMERIC, "bignumeric") };
}
