/**
 * RANGE frames with an offset over BIGNUMERIC, which no type of DuckDB's frames holds, and over NUMERIC with an offset
 * so large that bounds leave HUGEINT: they become GROUPS frames, whose bounds are so many groups of equal keys away as
 * different keys lie in between.
 */

import type { Expr, ResolvedFrame, ResolvedFrameBound, WindowCall } from "../../../../googlesql/resolved.ts";
import { arrayOf, BIGNUMERIC, INT64 } from "../../../../googlesql/types.ts";
import { hasOffset, type OffsetBound } from "../../../sql/window.ts";
import { signSql, variableSql } from "../../sql/atoms.ts";
import { lambda, raiseText } from "../../sql/forms.ts";
import { EMPTY, joinMapped, type Sql, sql } from "../../sql/sql.ts";
import type { SelectBuilder } from "../compilation.ts";
import { printExpression } from "../expression/expressions.ts";
import { WRONG_OFFSET } from "./aggregates.ts";
import { selectTexts } from "./shaping.ts";

interface Rows {
  readonly builder: SelectBuilder;
  readonly calls: readonly WindowCall[];
}

/** Below it a bound, in units of the last digit of NUMERIC, stays within HUGEINT. */
const LARGEST_NUMERIC_OFFSET = 7e28;

function isLarge({ offset }: OffsetBound): boolean {
  return offset.kind === "Literal" && Number(offset.value) > LARGEST_NUMERIC_OFFSET;
}

/** A frame that is rewritten: with its key, and those of its bounds that have an offset. */
interface DecimalFrame {
  readonly frame: ResolvedFrame;
  readonly key: WindowCall["orderBy"][number];
  readonly bounds: readonly OffsetBound[];
}

function decimalFrameOf({ frame, orderBy: [key] }: WindowCall): DecimalFrame | undefined {
  if (frame?.unit !== "RANGE" || key === undefined) return undefined;
  const bounds = [frame.start, frame.end].filter(hasOffset);
  const { kind } = key.expression.type;
  const isDecimal = kind === "BIGNUMERIC" ? bounds.length > 0 : kind === "NUMERIC" && bounds.some(isLarge);
  return isDecimal ? { frame, key, bounds } : undefined;
}

function toBignumeric(operand: Expr): Expr {
  if (operand.type.kind === "BIGNUMERIC") return operand;
  return { kind: "Cast", operand, type: BIGNUMERIC, isSafe: false, isImplicit: true, span: operand.span };
}

/**
 * How many different keys lie between the row's key and the bound: counting those at the bound, but not the row's own,
 * where the bound reaches outwards, and the row's own where it is the near end of the frame.
 */
function printGroups(bound: OffsetBound, isStart: boolean, isDescending: boolean, key: Sql, keys: Sql, offset: Sql) {
  const isUp = (bound.kind === "Following") !== isDescending;
  const isOuter = (bound.kind === "Preceding") === isStart;
  const far = sql`(${key} ${signSql(isUp ? "+" : "-")} ${offset})`;
  const [below, above] = isUp === isOuter ? [signSql("<"), signSql("<=")] : [signSql("<="), signSql("<")];
  const [least, most] = isUp ? [key, far] : [far, key];
  const failure = raiseText(WRONG_OFFSET);
  const each = variableSql("lw_key");
  const isBetween = lambda(each, sql`${least} ${below} ${each} AND ${each} ${above} ${most}`);
  const count = sql`coalesce(CAST(len(list_filter(${keys}, ${isBetween})) AS BIGINT), 0)`;
  return sql`CASE WHEN ${key} IS NULL THEN 0 WHEN ${offset} >= CAST('0' AS BIGNUM) THEN ${count} ELSE ${failure} END`;
}

function rewriteCall(
  from: SelectBuilder,
  call: WindowCall,
  { frame, key, bounds }: DecimalFrame,
): { readonly builder: SelectBuilder; readonly call: WindowCall } {
  const { span } = call;
  const types = [
    { type: arrayOf(BIGNUMERIC), span },
    { type: BIGNUMERIC, span },
  ] as const;
  const first = selectTexts(from, types, (scope) => {
    const partition = joinMapped(call.partitionBy, ", ", (each) => printExpression(each, scope));
    const by = partition === EMPTY ? EMPTY : sql`PARTITION BY ${partition}`;
    const value = printExpression(toBignumeric(key.expression), scope);
    return [sql`list(DISTINCT ${value}) FILTER (WHERE ${value} IS NOT NULL) OVER (${by})`, value];
  });
  const [keys, value] = first.columns;
  const second = selectTexts(
    first.builder,
    bounds.map(() => ({ type: INT64, span })),
    (scope) =>
      bounds.map((bound) => {
        const [printed, all, offset] = [value, keys, toBignumeric(bound.offset)].map((each) =>
          printExpression(each, scope),
        );
        return printGroups(
          bound,
          bound === frame.start,
          key.isDescending,
          printed ?? EMPTY,
          all ?? EMPTY,
          offset ?? EMPTY,
        );
      }),
  );
  const pending = second.columns.values();
  const toGroups = (bound: ResolvedFrameBound): ResolvedFrameBound =>
    hasOffset(bound) ? { ...bound, offset: pending.next().value ?? bound.offset } : bound;
  const overGroups = { unit: "GROUPS", start: toGroups(frame.start), end: toGroups(frame.end) } as const;
  return { builder: second.builder, call: { ...call, orderBy: [{ ...key, expression: value }], frame: overGroups } };
}

/** The calls with frames that DuckDB has, and the SELECT in which they can be printed. */
export function withoutDecimalFrames(builder: SelectBuilder, calls: readonly WindowCall[]): Rows {
  let rows = builder;
  const replaced = calls.map((call) => {
    const decimal = decimalFrameOf(call);
    if (decimal === undefined) return call;
    const rewritten = rewriteCall(rows, call, decimal);
    rows = rewritten.builder;
    return rewritten.call;
  });
  return { builder: rows, calls: replaced };
}
