/** One line of a histogram in the text format of Prometheus. */
interface Sample {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/**
 * How long calls took, by endpoint and by how the cache took part. Noting one is an addition: it is done for every
 * call.
 */
export interface Latencies {
  observe(endpoint: string, cache: string, seconds: number): void;
  samples(name: string): Sample[];
}

interface Series {
  readonly labels: { readonly endpoint: string; readonly cache: string };
  /** Calls by the first bound that they stay within; the last is for those beyond all. */
  readonly counts: number[];
  count: number;
  sum: number;
}

/** `bounds` are seconds, ascending. */
export function createLatencies(bounds: readonly number[]): Latencies {
  const byEndpoint = new Map<string, Map<string, Series>>();

  const find = (endpoint: string, cache: string): Series => {
    const known = byEndpoint.get(endpoint);
    const series = known?.get(cache);
    if (series !== undefined) return series;
    const made = { labels: { endpoint, cache }, counts: [...bounds, 0].map(() => 0), count: 0, sum: 0 };
    byEndpoint.set(endpoint, (known ?? new Map()).set(cache, made));
    return made;
  };

  return {
    observe(endpoint, cache, seconds) {
      const series = find(endpoint, cache);
      let index = 0;
      while (index < bounds.length && seconds > (bounds[index] ?? 0)) index++;
      series.counts[index] = (series.counts[index] ?? 0) + 1;
      series.count++;
      series.sum += seconds;
    },
    samples(name) {
      const samples: Sample[] = [];
      for (const { labels, counts, count, sum } of [...byEndpoint.values()].flatMap((each) => [...each.values()])) {
        let within = 0;
        for (const [index, each] of counts.entries()) {
          within += each;
          samples.push({
            metricName: `${name}_bucket`,
            labels: { le: bounds[index] ?? "+Inf", ...labels },
            value: within,
          });
        }
        samples.push({ metricName: `${name}_sum`, labels, value: sum });
        samples.push({ metricName: `${name}_count`, labels, value: count });
      }
      return samples;
    },
  };
}
