import { formatIsoTimestamp } from "../../values/iso-timestamp.ts";
import type { Overview } from "./overview-query.ts";

/** How many rows there are, over time and by values of fields. Times are ISO 8601. */
export interface OverviewAnswer {
  readonly from: string;
  readonly to: string;
  readonly bucket_us: number;
  readonly total: number;
  readonly is_truncated: boolean;
  readonly series: readonly { readonly value: string | null; readonly counts: readonly number[] }[];
  readonly facets: readonly {
    readonly path: string;
    readonly values: readonly { readonly value: string | null; readonly count: number }[];
  }[];
}

/** The answer of an overview, from the rows of its query. */
export function toOverviewAnswer(
  { fromUs, toUs, bucketCount, facets }: Overview,
  widthUs: bigint,
  rows: readonly Record<string, unknown>[],
  isTruncated: boolean,
): OverviewAnswer {
  const series = new Map<string | null, number[]>();
  const values = facets.map((): { value: string | null; count: number }[] => []);
  let total = 0;
  for (const { part, bucket, value, count } of rows.map(toRow)) {
    if (part > 0) {
      values[part - 1]?.push({ value, count });
      continue;
    }
    const counts = series.get(value) ?? Array.from({ length: bucketCount }, () => 0);
    series.set(value, counts);
    if (bucket !== undefined && bucket < bucketCount) counts[bucket] = (counts[bucket] ?? 0) + count;
    total += count;
  }
  return {
    from: formatIsoTimestamp(fromUs),
    to: formatIsoTimestamp(toUs),
    bucket_us: Number(widthUs),
    total,
    is_truncated: isTruncated,
    series: [...series].map(([value, counts]) => ({ value, counts })),
    facets: facets.map((path, index) => ({
      path: path.join("."),
      // The parts of a query come in any order.
      values: (values[index] ?? []).sort((a, b) => b.count - a.count),
    })),
  };
}

function toRow({ part, bucket, value, count }: Record<string, unknown>) {
  return {
    part: Number(part),
    bucket: bucket === null ? undefined : Number(bucket),
    value: value === null ? null : String(value),
    count: Number(count),
  };
}
