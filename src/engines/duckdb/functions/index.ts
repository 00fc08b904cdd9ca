/** The function tables of this engine, joined. */
import type { AggregateTable, WindowTable } from "./aggregate-shape.ts";
import { arrayFunctions } from "./array.ts";
import { bitFunctions } from "./bit.ts";
import { comparisonFunctions } from "./comparisons.ts";
import { conditionalFunctions } from "./conditional.ts";
import { conversionFunctions } from "./conversion.ts";
import { mathFunctions } from "./math.ts";
import { operatorFunctions } from "./operators.ts";
import type { FunctionTable } from "./types.ts";

/** Every scalar function and operator that DuckDB computes. */
export const scalarFunctions: FunctionTable = {
  ...operatorFunctions,
  ...comparisonFunctions,
  ...arrayFunctions,
  ...bitFunctions,
  ...conditionalFunctions,
  ...conversionFunctions,
  ...mathFunctions,
};

/** Every aggregate function. */
export const aggregateFunctions: AggregateTable = {};

/** Every function that needs OVER. */
export const windowFunctions: WindowTable = {};
