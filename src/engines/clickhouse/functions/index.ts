/** The function tables of this engine, joined. */
import { hasCanonicalForm } from "../../../googlesql/resolver/call/canonical.ts";
import { aggregateFunctions } from "./aggregates.ts";
import { arithmeticFunctions } from "./arithmetic.ts";
import { arrayFunctions } from "./array.ts";
import { codeFunctions } from "./codes.ts";
import { compareFunctions } from "./comparisons.ts";
import { conditionalFunctions } from "./conditional.ts";
import { floatFunctions } from "./floats.ts";
import { netFunctions } from "./net.ts";
import { numberFunctions } from "./number.ts";
import { regexpFunctions } from "./regexp.ts";
import { textFunctions } from "./text.ts";
import { timeFunctions } from "./time/time.ts";
import type { FunctionTable } from "./types.ts";
import { windowFunctions } from "./windows.ts";

/** Every scalar function and operator that ClickHouse computes exactly, for some types of arguments at least. */
export const scalarFunctions: FunctionTable = {
  ...arithmeticFunctions,
  ...arrayFunctions,
  ...codeFunctions,
  ...compareFunctions,
  ...conditionalFunctions,
  ...floatFunctions,
  ...netFunctions,
  ...numberFunctions,
  ...regexpFunctions,
  ...textFunctions,
  ...timeFunctions,
};

/** Does ClickHouse run the function of the catalogue, over its common arguments at least? */
export function isPushed(name: string): boolean {
  const tables = [scalarFunctions, aggregateFunctions, windowFunctions];
  return hasCanonicalForm(name) || tables.some((table) => Object.hasOwn(table, name));
}
