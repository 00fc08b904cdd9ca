/**
 * Which JavaScript functions can fail. All can, unless they stand here: a function that is forgotten is taken for one
 * that fails. What fails for no value may be computed for values that no row of the query holds (see
 * `compile/hidden-failures.ts`).
 */
import type { ScalarFunction } from "./scalar-function.ts";

/** Functions that fail for no value; beside those without arguments. A test attacks each. */
const TOTAL = `
lw_bignumeric_from_bigint lw_bignumeric_from_numeric lw_bignumeric_sign lw_bignumeric_to_double lw_bignumeric_to_text
lw_bit_count lw_byte_values lw_bytes_escaped lw_bytes_literal lw_bytes_not lw_code_points lw_contains_text lw_farm_fingerprint
lw_float64_to_text lw_initcap lw_initcap_by lw_interval_to_text lw_join lw_json_double lw_json_string_text lw_latin1
lw_latin1_pattern lw_lower
lw_lower_bytes lw_net_host lw_net_public_suffix lw_net_reg_domain lw_net_safe_ip_from_string lw_numeric_sign lw_reverse
lw_reverse_bytes lw_safe_add lw_safe_multiply lw_safe_subtract lw_safe_text lw_sha512 lw_soundex lw_string_literal lw_to_base32
lw_try_date_from_text lw_try_datetime_from_text lw_try_float64_from_text lw_try_int64_from_text lw_try_time_from_text lw_upper
lw_upper_bytes
`;

/**
 * Functions that fail for no value of their first argument, given the others as the compiler prints them: constants
 * that fit.
 */
const TOTAL_BESIDE_CONSTANTS = "lw_casefold lw_normalize lw_redact lw_redact_json lw_try_timestamp_from_text";

/** The names of all that fail for no value. */
export const totalFunctionNames: ReadonlySet<string> = new Set(
  [TOTAL, TOTAL_BESIDE_CONSTANTS].join(" ").trim().split(/\s+/),
);

/** Is there a value for which the function fails? */
export function canFail(udf: ScalarFunction): boolean {
  return udf.parameters.length > 0 && !totalFunctionNames.has(udf.name);
}

/** The names of the fields in which a function that can fail gets its arguments. */
export function packedFieldName(index: number): string {
  return `a${index}`;
}

/** A struct of printed values, as such a function takes it. */
export function packedFields(values: readonly string[]): string {
  return `{${values.map((value, index) => `'${packedFieldName(index)}': ${value}`).join(", ")}}`;
}
