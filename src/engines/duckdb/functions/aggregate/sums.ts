/**
 * SUM and AVG. What is in between may be larger than the type: only a result out of its range fails. DuckDB adds
 * DECIMALs in 128 bits, which two large ones leave, and takes an infinity for a sum of doubles out of range.
 */

import { constant, NULL, numberSql } from "../../sql/atoms.ts";
import { castTo, raiseText, tried } from "../../sql/forms.ts";
import { EMPTY, joinSql, type Sql, sql } from "../../sql/sql.ts";
import { BIGINT, HUGEINT, VARCHAR } from "../../sql/types.ts";
import { computeOnce } from "../compute-once.ts";
import { checkedBignumeric } from "../number/decimal.ts";
import { intervalParts } from "../time/interval-parts.ts";
import type { AggregateContext } from "./aggregate-shape.ts";
import { aggregate, aggregateOf } from "./collect.ts";

/** SAFE.SUM: an overflow is NULL. TRY takes no aggregate, so the totals are bound outside of it. */
function checkedResult(
  context: AggregateContext,
  totals: readonly Sql[],
  result: (...totals: readonly Sql[]) => Sql,
): Sql {
  if (context.call.isSafe) return computeOnce(totals, "safe_sum", (...bound) => tried(result(...bound)));
  return result(...totals);
}

/** Months, days and microseconds, which are added one by one: DuckDB has no sum of INTERVALs. */
function intervalTotals(context: AggregateContext): readonly Sql[] {
  return (["months", "days", "micros"] as const).map((field) =>
    aggregateOf(context, "sum", (x) => castTo(intervalParts(x)[field], HUGEINT)),
  );
}

/** Whole and fraction of a NUMERIC: sums of either fit 128 bits for any number of rows. */
function numericTotals(context: AggregateContext): readonly Sql[] {
  const whole = aggregateOf(context, "sum", (x) => sql`CAST(trunc(${x}) AS HUGEINT)`);
  const fraction = aggregateOf(context, "sum", (x) => sql`(${x} - trunc(${x}))`);
  return [castTo(whole, VARCHAR), castTo(fraction, VARCHAR)];
}

/** The doubles' sum, and that of 2^-64 of each, which is in range where they are. */
function floatTotals(context: AggregateContext): readonly Sql[] {
  return [aggregateOf(context, "sum", (x) => x), aggregateOf(context, "sum", (x) => sql`(${x} * ${SMALL})`)];
}

const LARGE = constant`18446744073709551616::DOUBLE`;
const SMALL = sql`5.421010862427522e-20::DOUBLE`;

function sumOfFloats(context: AggregateContext): Sql {
  return computeOnce(floatTotals(context), "float_sum", (total = EMPTY, small = EMPTY) => {
    const failure = raiseText("double overflow");
    const cases = [
      sql`WHEN ${total} IS NULL OR isfinite(${total}) THEN ${total}`,
      sql`WHEN NOT isfinite(${small}) THEN ${small}`,
      sql`WHEN isfinite(${small} * ${LARGE}) THEN ${small} * ${LARGE}`,
    ];
    return sql`CASE ${joinSql(cases, " ")} ELSE ${context.call.isSafe ? NULL : failure} END`;
  });
}

const ONE = numberSql(1);

/** The sum by totals in JavaScript, divided by a count for AVG; undefined for types that have a sum in DuckDB. */
function printTotal(context: AggregateContext, count: readonly Sql[]): Sql | undefined {
  switch (context.type.kind) {
    case "INTERVAL":
      return checkedResult(context, [...intervalTotals(context), ...count], (months, days, micros, n = ONE) => {
        return sql`
          CAST(lw_interval_total(CAST(${months} AS VARCHAR), CAST(${days} AS VARCHAR), CAST(${micros} AS
          VARCHAR), ${n}) AS INTERVAL)
        `;
      });
    case "NUMERIC":
      return checkedResult(context, [...numericTotals(context), ...count], (whole, fraction, n = ONE) => {
        return sql`lw_numeric_total(${whole}, ${fraction}, ${n})`;
      });
    default:
      return undefined;
  }
}

/** SUM, of any type that has it. */
export function sum(context: AggregateContext): Sql {
  const { kind } = context.type;
  if (kind === "FLOAT64") return sumOfFloats(context);
  const computed = printTotal(context, []);
  if (computed !== undefined) return computed;
  // DuckDB's sum of BIGINTs is a HUGEINT; the cast fails where GoogleSQL's would overflow.
  return checkedResult(context, [aggregate(context, "sum", context.args[0] ?? EMPTY)], (total) =>
    kind === "BIGNUMERIC" ? checkedBignumeric(total) : castTo(total, BIGINT),
  );
}

/** AVG, of any type that has it. */
export function average(context: AggregateContext): Sql {
  const x = context.args[0] ?? EMPTY;
  if (context.type.kind === "FLOAT64") {
    const mean = aggregate(context, "avg", x);
    if (context.types[0]?.kind !== "FLOAT64") return mean;
    const small = aggregateOf(context, "avg", (value) => sql`(${value} * ${SMALL})`);
    return computeOnce([mean, small], "float_avg", (plain, reduced) => {
      return sql`CASE WHEN isfinite(${plain}) THEN ${plain} ELSE ${reduced} * ${LARGE} END`;
    });
  }
  const count = aggregate(context, "count", x);
  return (
    printTotal(context, [count]) ??
    checkedResult(
      context,
      [aggregate(context, "sum", x), count],
      (total, n) => sql`lw_bignumeric_average(${total}, ${n})`,
    )
  );
}
