/** A time series over the steps of a query; undefined where it has no value. */
export interface Series {
  readonly labels: ReadonlyMap<string, string>;
  readonly values: readonly (number | undefined)[];
}

/** The times of a query's steps, in microseconds since 1970. */
export interface Steps {
  readonly startUs: number;
  readonly stepUs: number;
  readonly count: number;
}

/** A text that two sets of labels have in common only if they are equal. */
export function keyOf(labels: ReadonlyMap<string, string>): string {
  return JSON.stringify([...labels].sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function pickLabels(
  labels: ReadonlyMap<string, string>,
  isPicked: (name: string) => boolean,
): ReadonlyMap<string, string> {
  return new Map([...labels].filter(([name]) => isPicked(name)));
}
