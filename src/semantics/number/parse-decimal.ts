/** PARSE_NUMERIC and PARSE_BIGNUMERIC. Source: "Conversion functions" of the GoogleSQL reference. */

import { BIGNUMERIC_DECIMAL, type DecimalType, NUMERIC_DECIMAL, parseDecimal } from "../../values/decimal.ts";
import { defineFunction, type ScalarFunction } from "../scalar-function.ts";

/** Spaces may stand at both ends and between a sign and the number, commas anywhere before the point. */
const PATTERN = /^\s*([+-]?)\s*([\d,]*)(\.\d*)?([eE][+-]?\d+)?\s*([+-]?)\s*$/;

function parseWith(type: DecimalType): (text: string) => bigint {
  return (text) => {
    const match = PATTERN.exec(text);
    const [, before = "", whole = "", fraction = "", exponent = "", after = ""] = match ?? [];
    const digits = whole.replaceAll(",", "");
    const isNumber = match !== null && (before === "" || after === "") && (digits !== "" || fraction.length > 1);
    const value = isNumber ? parseDecimal(`${before}${after}${digits}${fraction}${exponent}`, type) : undefined;
    if (value === undefined) throw new Error(`Invalid input to PARSE_${type.name}: "${text}"`);
    return value;
  };
}

export const parseDecimalFunctions: readonly ScalarFunction[] = [
  defineFunction("lw_parse_numeric", ["STRING"], "NUMERIC", parseWith(NUMERIC_DECIMAL)),
  defineFunction("lw_parse_bignumeric", ["STRING"], "BIGNUMERIC", parseWith(BIGNUMERIC_DECIMAL)),
];
