/** Navigation, numbering and percentile functions; each prints its OVER. */
import { quoteString, raiseError } from "../sql-text.ts";
import { type PrintWindow, printAggregate, type WindowContext, type WindowTable } from "./aggregate-shape.ts";
import { bignumericAdd, bignumericFromFloat64, bignumericMultiply, bignumericSubtract } from "./bignumeric.ts";
import { computeOnce, literalInteger } from "./compute-once.ts";
import { numericAdd, numericFromFloat64, numericMultiply, numericSubtract } from "./numeric.ts";

function printCall(name: string, args: readonly string[], { modifiers }: WindowContext): string {
  const nulls = modifiers.nulls === undefined ? "" : ` ${modifiers.nulls} NULLS`;
  return `${name}(${args.join(", ")}${nulls}) ${modifiers.overSql ?? "OVER ()"}`;
}

function native(name: string): PrintWindow {
  return (context) => printCall(name, context.args, context);
}

/** A count of rows that must not be below `least`, nor NULL; it is a literal or a parameter. */
function checked(name: string, count: string, least: bigint): string {
  const literal = literalInteger(count);
  if (literal !== undefined && literal >= least) return count;
  const failure = raiseError(quoteString(`${name}: the number of rows or buckets must be at least ${least}`));
  return `CASE WHEN ${count} >= ${least} THEN ${count} ELSE ${failure} END`;
}

function shifted(name: "LAG" | "LEAD"): PrintWindow {
  return (context) => {
    const [value = "", offset, ...rest] = context.args;
    return printCall(name, offset === undefined ? [value] : [value, checked(name, offset, 0n), ...rest], context);
  };
}

/** The percentile as a literal's exact decimal text, or undefined where it must be computed. */
function literalPercentile(context: WindowContext): string | undefined {
  const percentile = context.call.arguments[1];
  if (percentile?.kind !== "Literal" || percentile.value === null) return undefined;
  const value = Number(percentile.value);
  if (!(value >= 0 && value <= 1)) return undefined;
  return value.toFixed(18);
}

/** What PERCENTILE_* look at when DuckDB's quantiles do not do: the partition's sorted values, their number, the percentile. */
interface SortedValues {
  /** The value at a position from 1. Not bound once: DuckDB would copy the list for each row. */
  readonly at: (position: string) => string;
  readonly count: string;
  readonly percentile: string;
  readonly failure: string;
}

function sortedValues(name: string, context: WindowContext): SortedValues {
  const [value = "", percentile = ""] = context.args;
  const { nulls, ...modifiers } = context.modifiers;
  const filter = nulls === "RESPECT" ? undefined : `${value} IS NOT NULL`;
  const sorted = printAggregate("list", [value], { ...modifiers, orderBySql: `${value} ASC NULLS FIRST` }, filter);
  const kind = context.types[1]?.kind;
  const isDecimal = kind === "NUMERIC" || kind === "BIGNUMERIC";
  const literal = context.call.arguments[1];
  const isKnown = literal?.kind === "Literal" && literal.value !== null && isDecimal;
  return {
    at: (position) => `(${sorted})[${position}]`,
    count: printAggregate("count", ["*"], modifiers, filter),
    percentile: isKnown
      ? `CAST('${literal.value}' AS DOUBLE)`
      : kind === "BIGNUMERIC"
        ? `lw_bignumeric_to_double(${percentile})`
        : `CAST(${percentile} AS DOUBLE)`,
    failure: raiseError(quoteString(`${name}: the percentile must be from 0 to 1`)),
  };
}

/** `low + (high - low) * share`; a value beside a NULL stands for both. */
function interpolate(low: string, high: string, share: string, kind: string): string {
  return computeOnce([low, high, share], "interpolate", (a = "", b = "", s = "") => {
    const between: Readonly<Record<string, string>> = {
      NUMERIC: numericAdd(a, numericMultiply(numericSubtract(b, a), numericFromFloat64(s))),
      BIGNUMERIC: bignumericAdd(a, bignumericMultiply(bignumericSubtract(b, a), bignumericFromFloat64(s))),
    };
    const exact = between[kind] ?? `${a} + (${b} - ${a}) * ${s}`;
    return `CASE WHEN ${s} = 0 THEN ${a} WHEN ${a} IS NULL THEN ${b} ELSE ${exact} END`;
  });
}

function asDouble(sql: string, context: WindowContext): string {
  return context.types[0]?.kind === "INT64" || context.types[0]?.kind === "UNKNOWN" ? `CAST(${sql} AS DOUBLE)` : sql;
}

function refuseOrder(name: string): string {
  return raiseError(quoteString(`${name}: ORDER BY is not allowed in OVER`));
}

function percentileCont(context: WindowContext): string {
  const [value = "", percentile = ""] = context.args;
  const { kind } = context.type;
  if (context.call.orderBy.length > 0) return refuseOrder("PERCENTILE_CONT");
  const literal = literalPercentile(context);
  // DuckDB interpolates decimals as doubles, which loses their digits.
  if (literal !== undefined && context.modifiers.nulls !== "RESPECT" && kind === "FLOAT64") {
    const { nulls: _, ...modifiers } = context.modifiers;
    return printAggregate("quantile_cont", [asDouble(value, context), literal], modifiers);
  }
  const converted = { ...context, args: [asDouble(value, context), percentile] };
  const { at, count, percentile: p, failure } = sortedValues("PERCENTILE_CONT", converted);
  const place = `(${p} * (${count} - 1))`;
  const low = at(`CAST(floor(${place}) AS BIGINT) + 1`);
  const high = at(`CAST(ceil(${place}) AS BIGINT) + 1`);
  const result = interpolate(low, high, `${place} - floor(${place})`, kind);
  return `CASE WHEN ${p} NOT BETWEEN 0 AND 1 THEN ${failure} WHEN ${count} > 0 THEN ${result} END`;
}

function percentileDisc(context: WindowContext): string {
  const [value = ""] = context.args;
  if (context.call.orderBy.length > 0) return refuseOrder("PERCENTILE_DISC");
  const literal = literalPercentile(context);
  if (literal !== undefined && context.modifiers.nulls !== "RESPECT") {
    const { nulls: _, ...modifiers } = context.modifiers;
    return printAggregate("quantile_disc", [value, literal], modifiers);
  }
  const { at, count, percentile: p, failure } = sortedValues("PERCENTILE_DISC", context);
  const result = at(`CAST(greatest(ceil(${p} * ${count}), 1) AS BIGINT)`);
  return `CASE WHEN ${p} NOT BETWEEN 0 AND 1 THEN ${failure} ELSE ${result} END`;
}

export const windowFunctions: WindowTable = {
  FIRST_VALUE: native("first_value"),
  LAST_VALUE: native("last_value"),
  NTH_VALUE: (context) => {
    const [value = "", position = ""] = context.args;
    return printCall("nth_value", [value, checked("NTH_VALUE", position, 1n)], context);
  },
  LAG: shifted("LAG"),
  LEAD: shifted("LEAD"),
  PERCENTILE_CONT: percentileCont,
  PERCENTILE_DISC: percentileDisc,
  RANK: native("rank"),
  DENSE_RANK: native("dense_rank"),
  PERCENT_RANK: native("percent_rank"),
  CUME_DIST: native("cume_dist"),
  NTILE: (context) => printCall("ntile", [checked("NTILE", context.args[0] ?? "", 1n)], context),
  ROW_NUMBER: native("row_number"),
};
