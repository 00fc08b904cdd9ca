/**
 * Expressions that are the same for every row of a run. Where the server would compute one for each row, under guards
 * or not at all, it is computed beforehand and bound as a parameter: then the server finds rows by it as by any value.
 */
import type { Expr } from "../../../googlesql/resolved.ts";
import { readsRun } from "../../lowering/run-constants.ts";
import { placeholder } from "../sql/atoms.ts";
import type { Sql } from "../sql/sql.ts";
import type { Compilation } from "./compilation.ts";
import { physicalType, refusedType } from "./expression/literals.ts";

/**
 * An expression that is a constant of the run and would be a burden to the server; undefined for any other.
 * `print` prints the expression as it stands.
 */
export function printRunConstant(
  compilation: Compilation,
  expression: Expr,
  print: (trial: Compilation) => Sql,
): Sql | undefined {
  const { constants, delaysFailures } = compilation;
  const isPlain = expression.kind === "Literal" || expression.kind === "Parameter";
  if (constants === undefined || isPlain || !constants.has(expression)) return undefined;
  const trial: Compilation = { ...compilation, constants: undefined };
  const computed = print(trial);
  if (!computed.canFail && !computed.isRefused) {
    compilation.aliasCount = trial.aliasCount;
    return computed;
  }
  // No row is found by what is selected, and its values are the same in each run.
  if (delaysFailures && !readsRun(expression)) return printFailing(compilation, trial, print);
  const { type } = expression;
  return refusedType(type) ?? placeholder(constants.placeholderOf(expression), physicalType(type));
}

function printFailing(compilation: Compilation, trial: Compilation, print: (trial: Compilation) => Sql): Sql {
  const delaying = { ...trial, delaysFailures: true };
  const printed = print(delaying);
  compilation.aliasCount = delaying.aliasCount;
  return printed;
}
