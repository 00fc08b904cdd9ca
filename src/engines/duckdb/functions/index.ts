/** The function tables of this engine, joined. */
import { aggregateFunctions as plainAggregates } from "./aggregate/aggregate.ts";
import type { AggregateTable, WindowTable } from "./aggregate/aggregate-shape.ts";
import { approximateFunctions } from "./aggregate/approximate.ts";
import { sketchFunctions, sketchScalarFunctions } from "./aggregate/sketches.ts";
import { statisticalFunctions } from "./aggregate/statistical.ts";
import { windowFunctions as plainWindows } from "./aggregate/window.ts";
import { arrayFunctions } from "./array/array.ts";
import { comparisonFunctions } from "./comparisons.ts";
import { conditionalFunctions } from "./conditional.ts";
import { jsonFunctions } from "./json/json.ts";
import { mathFunctions } from "./number/math.ts";
import { operatorFunctions } from "./operators.ts";
import { hashFunctions, netFunctions } from "./text/hash.ts";
import { regexpFunctions } from "./text/regexp.ts";
import { stringFunctions } from "./text/string.ts";
import { intervalFunctions } from "./time/interval.ts";
import { rangeFunctions } from "./time/range.ts";
import { timeFunctions } from "./time/time-functions.ts";
import type { FunctionTable } from "./types.ts";

/** Every scalar function and operator that DuckDB computes. Operators on dates and JSON stand with those types. */
export const scalarFunctions: FunctionTable = {
  ...operatorFunctions,
  ...comparisonFunctions,
  ...arrayFunctions,
  ...conditionalFunctions,
  ...hashFunctions,
  ...sketchScalarFunctions,
  ...intervalFunctions,
  ...jsonFunctions,
  ...mathFunctions,
  ...netFunctions,
  ...rangeFunctions,
  ...regexpFunctions,
  ...stringFunctions,
  ...timeFunctions,
};

/** Every aggregate function. */
export const aggregateFunctions: AggregateTable = {
  ...plainAggregates,
  ...approximateFunctions,
  ...sketchFunctions,
  ...statisticalFunctions,
};

/** Every function that needs OVER. */
export const windowFunctions: WindowTable = plainWindows;
