/**
 * Every function that the compiler can print: DuckDB's own by name, and those that we register. The engine host refuses
 * a statement that calls any other. Names are as DuckDB's parser writes them, so that list literals, subscripts and
 * window functions are among them; operators are not.
 */
import { scalarFunctions } from "../../../semantics/index.ts";

const nativeFunctions = `
abs acos acosh any_value arg_max_null arg_min_null array_agg array_extract array_slice array_to_string ascii asin asinh atan
atan2 atanh avg bit_and bit_count bit_or bit_xor bool_and bool_or cbrt ceil chr coalesce concat contains corr cos cosh cot
count count_star covar_pop covar_samp cume_dist date_diff date_part date_trunc datepart day dayofweek dayofyear decode
dense_rank encode ends_with epoch_ms epoch_us exp first_value flatten floor from_base64 generate_series
get_current_timestamp greatest hex icu_sort_key isfinite isinf isnan json_array_length json_extract json_extract_string json_keys json_type
json_valid lag last_day last_value lead least left len length like_escape list list_aggregate list_any_value list_bool_or list_contains
list_count list_distinct list_filter list_max list_min list_resize list_reverse list_sort list_transform list_value ln log
log10 lower lpad ltrim make_date make_timestamp map max md5 md5_number_lower min nth_value ntile nullif octet_length
percent_rank pow printf quantile_cont quantile_disc random range rank regexp_extract regexp_extract_all regexp_full_match
regexp_matches regexp_replace regr_count repeat replace reverse right round row row_number rpad rtrim sha1 sha256 sign sin
sinh split_part sqrt starts_with stddev_pop stddev_samp strftime string_agg string_split strlen strpos struct_extract
struct_pack substr sum tan tanh timezone to_base64 to_days to_hours to_json to_microseconds to_months to_seconds trim trunc
unhex unicode upper uuid var_pop var_samp xor
`;

/** Lower-case names of the scalar, aggregate and window functions that a compiled statement may call. */
export const allowedFunctions: ReadonlySet<string> = new Set([
  ...nativeFunctions.trim().split(/\s+/),
  ...scalarFunctions.map((udf) => udf.name),
]);

/**
 * Lower-case names of the functions that may stand in FROM. `unnest` stands in select lists, as a function of its own
 * kind.
 */
export const allowedTableFunctions: ReadonlySet<string> = new Set(["unnest", "generate_series", "range"]);
