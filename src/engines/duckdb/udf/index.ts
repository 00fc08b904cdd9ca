import { bitUdfs } from "./bits.ts";
import { bytesBitsUdfs } from "./bytes-bits.ts";
import { castUdfs } from "./cast.ts";
import { dateUdfs } from "./date.ts";
import { decimalArithmeticUdfs } from "./decimal-arithmetic.ts";
import { decimalMathUdfs } from "./decimal-math.ts";
import { distanceUdfs } from "./distance.ts";
import { errorUdfs } from "./errors.ts";
import { floatMathUdfs } from "./float-math.ts";
import { generateUdfs } from "./generate.ts";
import { hllUdfs } from "./hll.ts";
import { parseDecimalUdfs } from "./parse-decimal.ts";
import { topUdfs } from "./top.ts";
import type { ScalarUdf } from "./udf.ts";

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
  ...parseDecimalUdfs,
  ...topUdfs,
];
