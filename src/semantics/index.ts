import { castFunctions } from "./cast/cast.ts";
import { errorFunctions } from "./errors.ts";
import { jsonFunctions } from "./json/json.ts";
import { jsonConvertFunctions } from "./json/json-convert.ts";
import { jsonExtractFunctions } from "./json/json-extract.ts";
import { netFunctions } from "./net/net.ts";
import { bitFunctions } from "./number/bits.ts";
import { decimalArithmeticFunctions } from "./number/decimal-arithmetic.ts";
import { decimalMathFunctions } from "./number/decimal-math.ts";
import { distanceFunctions } from "./number/distance.ts";
import { floatMathFunctions } from "./number/float-math.ts";
import { parseDecimalFunctions } from "./number/parse-decimal.ts";
import { statisticsFunctions } from "./number/statistics.ts";
import type { ScalarFunction } from "./scalar-function.ts";
import { sketchFunctions } from "./sketch/sketches.ts";
import { topFunctions } from "./sketch/top.ts";
import { bytesFunctions } from "./text/bytes.ts";
import { formatFunctions } from "./text/format.ts";
import { literalTextFunctions } from "./text/literal-text.ts";
import { redactFunctions } from "./text/redact.ts";
import { regexpFunctions } from "./text/regexp.ts";
import { stringSearchFunctions } from "./text/string-search.ts";
import { unicodeTextFunctions } from "./text/unicode-text.ts";
import { dateFunctions } from "./time/date.ts";
import { generateFunctions } from "./time/generate.ts";

/** Every JavaScript function that the engine host registers. */
export const scalarFunctions: readonly ScalarFunction[] = [
  ...errorFunctions,
  ...decimalArithmeticFunctions,
  ...dateFunctions,
  ...castFunctions,
  ...bitFunctions,
  ...decimalMathFunctions,
  ...distanceFunctions,
  ...floatMathFunctions,
  ...generateFunctions,
  ...sketchFunctions,
  ...parseDecimalFunctions,
  ...topFunctions,
  ...bytesFunctions,
  ...formatFunctions,
  ...jsonFunctions,
  ...jsonConvertFunctions,
  ...jsonExtractFunctions,
  ...literalTextFunctions,
  ...netFunctions,
  ...redactFunctions,
  ...regexpFunctions,
  ...statisticsFunctions,
  ...stringSearchFunctions,
  ...unicodeTextFunctions,
];
