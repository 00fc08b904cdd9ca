/** RANGE functions. A RANGE is `STRUCT("start" T, "end" T)`, half open, in which NULL is unbounded. */

import type { CallExpr } from "../../../../googlesql/resolved.ts";
import type { SqlType } from "../../../../googlesql/types.ts";
import { TRUE, variableSql } from "../../sql/atoms.ts";
import { filterList, lambda, raiseError, raiseText } from "../../sql/forms.ts";
import { EMPTY, type Sql, sql } from "../../sql/sql.ts";
import { computeOnce } from "../compute-once.ts";
import type { CallContext, FunctionTable } from "../types.ts";
import { intervalParts } from "./interval-parts.ts";
import { seriesOf } from "./series.ts";

type Context = CallContext<CallExpr>;

function startOf(range: Sql): Sql {
  return sql`struct_extract(${range}, 'start')`;
}

function endOf(range: Sql): Sql {
  return sql`struct_extract(${range}, 'end')`;
}

function pack(start: Sql, end: Sql): Sql {
  return sql`struct_pack("start" := ${start}, "end" := ${end})`;
}

/** The range of two bounds, each possibly NULL; fails where it would hold nothing. */
export function makeRange(start: Sql, end: Sql): Sql {
  return computeOnce([start, end], "range", (from, to) => {
    const message = sql`concat('RANGE start element must be less than RANGE end element: [', ${from}, ', ', ${to}, ')')`;
    return sql`CASE WHEN ${from} >= ${to} THEN ${raiseError(message)} ELSE ${pack(from, to)} END`;
  });
}

function isWithin(value: Sql, range: Sql): Sql {
  return sql`
    (${startOf(range)} IS NULL OR ${startOf(range)} <= ${value}) AND (${endOf(range)} IS NULL
    OR ${value} < ${endOf(range)})
  `;
}

function printContains({ args, types }: Context): Sql {
  const [outer = EMPTY, inner = EMPTY] = args;
  return computeOnce([outer, inner], "contains", (range, value) => {
    const startsWithin = sql`(${startOf(range)} IS NULL OR coalesce(${startOf(range)} <= ${startOf(value)}, false))`;
    const endsWithin = sql`(${endOf(range)} IS NULL OR coalesce(${endOf(value)} <= ${endOf(range)}, false))`;
    const test = types[1]?.kind === "RANGE" ? sql`${startsWithin} AND ${endsWithin}` : isWithin(value, range);
    return sql`CASE WHEN ${range} IS NULL OR ${value} IS NULL THEN NULL ELSE ${test} END`;
  });
}

function overlapTest(left: Sql, right: Sql): Sql {
  return sql`coalesce(${startOf(left)} < ${endOf(right)}, true) AND coalesce(${startOf(right)} < ${endOf(left)}, true)`;
}

function printOverlaps({ args }: Context): Sql {
  return computeOnce([args[0] ?? EMPTY, args[1] ?? EMPTY], "overlaps", (left, right) => {
    return sql`CASE WHEN ${left} IS NULL OR ${right} IS NULL THEN NULL ELSE ${overlapTest(left, right)} END`;
  });
}

function printIntersect({ args }: Context): Sql {
  return computeOnce([args[0] ?? EMPTY, args[1] ?? EMPTY], "intersect", (left, right) => {
    const message = "Provided RANGE inputs do not overlap. Please call RANGE_OVERLAPS before calling RANGE_INTERSECT";
    // greatest() and least() pass over NULLs, as unbounded ends must be.
    const start = sql`greatest(${startOf(left)}, ${startOf(right)})`;
    const end = sql`least(${endOf(left)}, ${endOf(right)})`;
    return sql`
      CASE WHEN ${left} IS NULL OR ${right} IS NULL THEN NULL
      WHEN NOT (${overlapTest(left, right)}) THEN ${raiseText(message)} ELSE ${pack(start, end)} END
    `;
  });
}

function elementOf(type: SqlType | undefined): SqlType {
  if (type?.kind !== "RANGE") throw new Error("A range function needs a RANGE");
  return type.element;
}

/** A DATE moves by months or by days, a DATETIME by months or by the rest, a TIMESTAMP by no months. */
function isMixed(step: Sql, element: SqlType): Sql {
  const { months, days, micros } = intervalParts(step);
  if (element.kind === "DATE") return sql`${micros} <> 0 OR (${months} <> 0 AND ${days} <> 0)`;
  if (element.kind === "DATETIME") return sql`${months} <> 0 AND (${days} <> 0 OR ${micros} <> 0)`;
  return sql`${months} <> 0`;
}

function printGenerateArray({ args, types, call }: Context): Sql {
  const [range = EMPTY, step = EMPTY, includesPartial = TRUE] = args;
  const element = elementOf(types[0]);
  return computeOnce([range, step, includesPartial], "partition", (whole, by, partial) => {
    const starts = seriesOf(startOf(whole), endOf(whole), by, element, call.function, true);
    const next = element.kind === "DATE" ? sql`CAST(lw_start + ${by} AS DATE)` : sql`lw_start + ${by}`;
    // All starts but the first are the end of the range before, so that month ends stay where the series puts them.
    const ends = sql`lw_starts[lw_position + 1]`;
    const last = sql`CASE WHEN ${next} <= ${endOf(whole)} THEN ${next} WHEN ${partial} THEN ${endOf(whole)} END`;
    const start = variableSql("lw_start");
    const packed = pack(start, sql`coalesce(${ends}, ${last})`);
    const ranges = sql`list_transform(lw_starts, ${lambda([start, variableSql("lw_position")], packed)})`;
    const complete = filterList(ranges, "lw_range", sql`${endOf(variableSql("lw_range"))} IS NOT NULL`);
    const unbounded = raiseText("Unbounded RANGE is not supported by GENERATE_RANGE_ARRAY");
    const mixed = raiseText("The step of GENERATE_RANGE_ARRAY must have one part that its bounds can be moved by");
    const negative = raiseText("The step of GENERATE_RANGE_ARRAY must be greater than zero");
    return sql`
      CASE WHEN ${whole} IS NULL OR ${by} IS NULL OR ${partial} IS NULL THEN NULL
      WHEN ${startOf(whole)} IS NULL OR ${endOf(whole)} IS NULL THEN ${unbounded}
      WHEN ${by} <= to_days(0) THEN ${negative}
      WHEN ${isMixed(by, element)} THEN ${mixed}
      ELSE list_transform([${starts}], ${lambda(variableSql("lw_starts"), complete)})[1] END
    `;
  });
}

/** Range functions of the reference. */
export const rangeFunctions: FunctionTable = {
  RANGE: ({ args }) => makeRange(args[0] ?? EMPTY, args[1] ?? EMPTY),
  RANGE_START: ({ args }) => startOf(args[0] ?? EMPTY),
  RANGE_END: ({ args }) => endOf(args[0] ?? EMPTY),
  RANGE_CONTAINS: printContains,
  RANGE_OVERLAPS: printOverlaps,
  RANGE_INTERSECT: printIntersect,
  GENERATE_RANGE_ARRAY: printGenerateArray,
};
