import { isDeepStrictEqual } from "node:util";
import type { OutputColumn } from "../engines/contract/query-engine.ts";
import { formatIsoTimestamp } from "../values/iso-timestamp.ts";
import type { Expectation } from "./test-file.ts";
import { readInstant } from "./test-file.ts";

/** A row as an endpoint answers it. */
export type Row = Readonly<Record<string, unknown>>;

/** Further lines would add nothing. */
const maxLines = 40;

/**
 * The differences between the rows of an answer and the expected ones, in readable lines: `-` was expected, `+` was
 * returned. Undefined when there are none. Columns of the type TIMESTAMP, which are returned in microseconds, may be
 * expected in ISO 8601.
 */
export function compareRows(
  expect: Expectation & { readonly rows: readonly Row[] },
  rows: readonly Row[],
  columns: readonly OutputColumn[],
): string | undefined {
  const ignored = new Set(expect.ignore ?? []);
  const unknown = [...ignored].filter((name) => !columns.some((column) => column.name === name));
  if (unknown.length > 0) return `ignore names ${unknown.join(", ")}, which the answer does not have`;
  const times = new Set(columns.filter(({ type }) => type.kind === "TIMESTAMP").map(({ name }) => name));
  const expected = expect.rows.map((row) => readTimes(row, times));
  const got = rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !ignored.has(name))));
  const show = (row: Row) => JSON.stringify(showTimes(row, times));
  const lines = expect.any_order === true ? compareSets(expected, got, show) : compareLists(expected, got, show);
  if (lines.length === 0) return undefined;
  const title =
    expected.length === got.length ? "the rows are others" : `expected ${expected.length} rows, got ${got.length}`;
  const more = lines.length > maxLines ? [`... and ${lines.length - maxLines} more lines`] : [];
  return [title, ...lines.slice(0, maxLines), ...more].join("\n");
}

function readTimes(row: Row, times: ReadonlySet<string>): Row {
  const entries = Object.entries(row).map(([name, value]) => {
    const instant = times.has(name) && typeof value === "string" ? readInstant(value) : undefined;
    return [name, instant === undefined ? value : Number(instant)];
  });
  return Object.fromEntries(entries);
}

function showTimes(row: Row, times: ReadonlySet<string>): Row {
  const entries = Object.entries(row).map(([name, value]) => {
    const isInstant = times.has(name) && Number.isSafeInteger(value);
    return [name, isInstant ? formatIsoTimestamp(BigInt(Number(value))) : value];
  });
  return Object.fromEntries(entries);
}

type Show = (row: Row) => string;

/** Rows that are on one side only, each as often as it is. */
function compareSets(expected: readonly Row[], got: readonly Row[], show: Show): string[] {
  const left = [...got];
  const missing = expected.filter((row) => {
    const index = left.findIndex((other) => isDeepStrictEqual(row, other));
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
  return [...missing.map((row) => `- ${show(row)}`), ...left.map((row) => `+ ${show(row)}`)];
}

/**
 * Row by row when the counts are equal, with the fields that differ; otherwise the shortest edit from one list to the
 * other.
 */
function compareLists(expected: readonly Row[], got: readonly Row[], show: Show): string[] {
  if (expected.length !== got.length) return alignRows(expected, got, show);
  return expected.flatMap((row, index) => {
    const other = got[index] ?? {};
    if (isDeepStrictEqual(row, other)) return [];
    const names = [...new Set([...Object.keys(row), ...Object.keys(other)])];
    const fields = names.filter((name) => !(name in row && name in other && isDeepStrictEqual(row[name], other[name])));
    const shown = (side: Row, name: string) =>
      name in side ? show({ [name]: side[name] }).slice(1, -1) : `${JSON.stringify(name)} is not there`;
    return [`row ${index + 1}:`, ...fields.flatMap((name) => [`  - ${shown(row, name)}`, `  + ${shown(other, name)}`])];
  });
}

/** Lists longer than this are compared as sets: the table below has the product of both lengths. */
const maxAligned = 1_000;

function alignRows(expected: readonly Row[], got: readonly Row[], show: Show): string[] {
  if (expected.length > maxAligned || got.length > maxAligned) return compareSets(expected, got, show);
  const common = countCommon(expected, got);
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < expected.length || j < got.length) {
    const [left, right] = [expected[i], got[j]];
    if (left !== undefined && right !== undefined && isDeepStrictEqual(left, right)) {
      i++;
      j++;
    } else if (right === undefined || (left !== undefined && (common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0))) {
      lines.push(`- ${left === undefined ? "" : show(left)}`);
      i++;
    } else {
      lines.push(`+ ${show(right)}`);
      j++;
    }
  }
  return lines;
}

/** How many rows both lists have in common, in the same order, from each pair of places on. */
function countCommon(expected: readonly Row[], got: readonly Row[]): readonly (readonly number[])[] {
  const counts = Array.from({ length: expected.length + 1 }, () => new Array<number>(got.length + 1).fill(0));
  for (let i = expected.length - 1; i >= 0; i--) {
    for (let j = got.length - 1; j >= 0; j--) {
      const both = isDeepStrictEqual(expected[i], got[j]);
      const best = both
        ? (counts[i + 1]?.[j + 1] ?? 0) + 1
        : Math.max(counts[i + 1]?.[j] ?? 0, counts[i]?.[j + 1] ?? 0);
      const line = counts[i];
      if (line !== undefined) line[j] = best;
    }
  }
  return counts;
}
