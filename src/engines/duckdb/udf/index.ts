import { bitUdfs } from "./bits.ts";
import { bytesUdfs } from "./bytes.ts";
import { bytesBitsUdfs } from "./bytes-bits.ts";
import { castUdfs } from "./cast.ts";
import { dateUdfs } from "./date.ts";
import { decimalArithmeticUdfs } from "./decimal-arithmetic.ts";
import { decimalMathUdfs } from "./decimal-math.ts";
import { distanceUdfs } from "./distance.ts";
import { errorUdfs } from "./errors.ts";
import { floatMathUdfs } from "./float-math.ts";
import { formatUdfs } from "./format.ts";
import { generateUdfs } from "./generate.ts";
import { hllUdfs } from "./hll.ts";
import { joinUdfs } from "./join.ts";
import { jsonUdfs } from "./json.ts";
import { jsonConvertUdfs } from "./json-convert.ts";
import { jsonExtractUdfs } from "./json-extract.ts";
import { kllUdfs } from "./kll.ts";
import { literalTextUdfs } from "./literal-text.ts";
import { netUdfs } from "./net.ts";
import { parseDecimalUdfs } from "./parse-decimal.ts";
import { redactUdfs } from "./redact.ts";
import { regexpUdfs } from "./regexp.ts";
import { statisticsUdfs } from "./statistics.ts";
import { stringSearchUdfs } from "./string-search.ts";
import { topUdfs } from "./top.ts";
import type { ScalarUdf } from "./udf.ts";
import { unicodeTextUdfs } from "./unicode-text.ts";

/** Every JavaScript function that the engine host registers. */
export const scalarUdfs: readonly ScalarUdf[] = [
  ...errorUdfs,
  ...decimalArithmeticUdfs,
  ...dateUdfs,
  ...castUdfs,
  ...bitUdfs,
  ...bytesBitsUdfs,
  ...decimalMathUdfs,
  ...distanceUdfs,
  ...floatMathUdfs,
  ...generateUdfs,
  ...hllUdfs,
  ...joinUdfs,
  ...kllUdfs,
  ...parseDecimalUdfs,
  ...topUdfs,
  ...bytesUdfs,
  ...formatUdfs,
  ...jsonUdfs,
  ...jsonConvertUdfs,
  ...jsonExtractUdfs,
  ...literalTextUdfs,
  ...netUdfs,
  ...redactUdfs,
  ...regexpUdfs,
  ...statisticsUdfs,
  ...stringSearchUdfs,
  ...unicodeTextUdfs,
];
