/** The function tables of this engine, joined. */
import { aggregateFunctions as plainAggregates } from "./aggregate.ts";
import type { AggregateTable, WindowTable } from "./aggregate-shape.ts";
import { approximateFunctions } from "./approximate.ts";
import { arrayFunctions } from "./array.ts";
import { bitFunctions } from "./bit.ts";
import { comparisonFunctions } from "./comparisons.ts";
import { conditionalFunctions } from "./conditional.ts";
import { conversionFunctions } from "./conversion.ts";
import { dateFunctions } from "./date.ts";
import { datetimeFunctions } from "./datetime.ts";
import { hashFunctions } from "./hash.ts";
import { hllFunctions, hllScalarFunctions } from "./hll.ts";
import { intervalFunctions } from "./interval.ts";
import { jsonFunctions } from "./json.ts";
import { kllFunctions, kllScalarFunctions } from "./kll.ts";
import { mathFunctions } from "./math.ts";
import { netFunctions } from "./net.ts";
import { operatorFunctions } from "./operators.ts";
import { rangeFunctions } from "./range.ts";
import { regexpFunctions } from "./regexp.ts";
import { statisticalFunctions } from "./statistical.ts";
import { stringFunctions } from "./string.ts";
import { timeFunctions } from "./time.ts";
import { timestampFunctions } from "./timestamp.ts";
import type { FunctionTable } from "./types.ts";
import { windowFunctions as plainWindows } from "./window.ts";

/** Every scalar function and operator that DuckDB computes. Operators on dates and JSON stand with those types. */
export const scalarFunctions: FunctionTable = {
  ...operatorFunctions,
  ...comparisonFunctions,
  ...arrayFunctions,
  ...bitFunctions,
  ...conditionalFunctions,
  ...conversionFunctions,
  ...dateFunctions,
  ...datetimeFunctions,
  ...hashFunctions,
  ...hllScalarFunctions,
  ...kllScalarFunctions,
  ...intervalFunctions,
  ...jsonFunctions,
  ...mathFunctions,
  ...netFunctions,
  ...rangeFunctions,
  ...regexpFunctions,
  ...stringFunctions,
  ...timeFunctions,
  ...timestampFunctions,
};

/** Every aggregate function. */
export const aggregateFunctions: AggregateTable = {
  ...plainAggregates,
  ...approximateFunctions,
  ...hllFunctions,
  ...kllFunctions,
  ...statisticalFunctions,
};

/** Every function that needs OVER. */
export const windowFunctions: WindowTable = plainWindows;
