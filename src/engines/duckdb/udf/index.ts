import { decimalArithmeticUdfs } from "./decimal-arithmetic.ts";
import { errorUdfs } from "./errors.ts";
import type { ScalarUdf } from "./udf.ts";

/** Every JavaScript function that the engine host registers. */
export const scalarUdfs: readonly ScalarUdf[] = [...errorUdfs, ...decimalArithmeticUdfs];
