/**
 * The functions that the compiler can print, with facts about each: DuckDB's own by name, and those that we register.
 * The engine host refuses a statement that calls any other. Names are as DuckDB's parser writes them, so that list
 * literals, subscripts and window functions are among them; operators are not.
 */
import { canFail } from "../../../semantics/can-fail.ts";
import { scalarFunctions } from "../../../semantics/index.ts";
import { walkTree } from "../../sql/map-tree.ts";
import { Fact, type Sql } from "../../sql/node.ts";

/** Facts about one function. By default it may fail where DuckDB expects it to, which is not said of it here. */
interface NativeFacts {
  /** It fails for no value, or only where its lambda does. */
  readonly isTotal?: true;
  /** It fails without DuckDB's knowledge for some values of the argument at this place that are no literals: patterns. */
  readonly failsUnseen?: number;
  /** DuckDB defines it as a macro. */
  readonly isMacro?: true;
  readonly takesLambda?: true;
  /** Each computation is another value. */
  readonly isVolatile?: true;
  /** A JavaScript function that can fail, which takes one struct of its arguments. */
  readonly isPacked?: true;
}

/** DuckDB's functions, each in the row of its facts. */
const nativeFunctions: readonly (readonly [facts: NativeFacts, names: string])[] = [
  [
    {},
    `
    abs acos acosh any_value arg_max_null arg_min_null array_agg array_extract array_slice ascii asin asinh atan
    atan2 atanh avg bit_and bit_count bit_or bit_xor bool_and bool_or ceil chr corr cos cosh cot count
    count_star covar_pop covar_samp cume_dist date_diff date_part date_trunc datepart day dayofweek dayofyear
    decode dense_rank encode epoch_ms epoch_us exp first_value flatten floor from_base64 generate_series
    get_current_timestamp greatest icu_sort_key isfinite isinf json_array_length json_extract
    json_extract_string json_keys json_type json_valid lag last_day last_value lead least list list_aggregate
    list_distinct list_resize list_sort ln log log10 lpad make_date make_timestamp map max md5 min nth_value
    ntile octet_length percent_rank pow printf quantile_cont quantile_disc range rank regexp_extract
    regexp_matches regr_count repeat replace reverse round row row_number rpad sha1 sha256 sign sin sinh sqrt
    stddev_pop stddev_samp strftime string_agg string_split strpos substr sum tan tanh timezone to_base64
    to_days to_hours to_json to_microseconds to_months to_seconds trunc unhex unicode var_pop var_samp xor
    `,
  ],
  [
    { isTotal: true },
    `
    coalesce concat contains ends_with hex isnan left len length list_contains list_value lower ltrim right
    rtrim starts_with strlen struct_extract struct_pack trim upper
    `,
  ],
  [
    { isMacro: true },
    "array_to_string list_any_value list_bool_or list_max list_min list_reverse md5_number_lower split_part",
  ],
  [{ isMacro: true, isTotal: true }, "list_count nullif"],
  [{ failsUnseen: 1 }, "like_escape regexp_extract_all regexp_full_match regexp_replace"],
  [{ takesLambda: true, isTotal: true }, "list_transform list_filter"],
  [{ isVolatile: true }, "random uuid"],
];

const UNKNOWN: NativeFacts = {};
const PACKED: NativeFacts = { isPacked: true };
const TOTAL: NativeFacts = { isTotal: true };

const functions: ReadonlyMap<string, NativeFacts> = new Map([
  ...nativeFunctions.flatMap(([facts, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, facts] as const),
  ),
  ...scalarFunctions.map((udf) => [udf.name, canFail(udf) ? PACKED : TOTAL] as const),
]);

/** Lower-case names of the scalar, aggregate and window functions that a compiled statement may call. */
export const allowedFunctions: ReadonlySet<string> = new Set(functions.keys());

/**
 * Lower-case names of the functions that may stand in FROM. `unnest` stands in select lists, as a function of its own
 * kind.
 */
export const allowedTableFunctions: ReadonlySet<string> = new Set(["unnest", "generate_series", "range"]);

/** Facts about the function; none of one that is not known. */
export const nativeFacts = (name: string): NativeFacts => functions.get(name) ?? UNKNOWN;

/** Facts of nodes by the facts of the functions that they call. */
const nodeFacts: ReadonlyMap<NativeFacts, number> = new Map(
  [...functions.values()].map((facts) => {
    const { isTotal, failsUnseen, isMacro, takesLambda, isPacked } = facts;
    const isSubject = (isMacro ?? takesLambda ?? isPacked) === true || failsUnseen !== undefined;
    return [facts, (isSubject ? Fact.SUBJECT : 0) | (isTotal === true ? 0 : Fact.UNPROVEN)];
  }),
);

/** The facts of a call of the function, beside those of its arguments. */
export function callFacts(name: string): number {
  return nodeFacts.get(nativeFacts(name)) ?? Fact.UNPROVEN;
}

/** Is each computation of the expression another value? */
export function isVolatile(root: Sql): boolean {
  let found = false;
  walkTree(root, Fact.UNPROVEN, ({ kind, token }) => {
    found ||= kind === "call" && nativeFacts(token).isVolatile === true;
  });
  return found;
}
