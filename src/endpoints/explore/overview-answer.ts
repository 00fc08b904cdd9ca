import { formatIsoTimestamp } from "../../values/iso-timestamp.ts";
import type { Overview } from "./overview-query.ts";

/** Counts of rows over time and by values of fields, from the rows of an overview's query. Times are ISO 8601. */
export function toOverviewAnswer(
  { fromUs, toUs, bucketCount, facets }: Overview,
  widthUs: bigint,
  rows: readonly Record<string, unknown>[],
  isTruncated: boolean,
) {
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
