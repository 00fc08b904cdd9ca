/** The three fields of a DuckDB INTERVAL, each as a BIGINT. Days and hours do not spill into one another. */
export interface IntervalPartsSql {
  /** Years among them. */
  readonly months: string;
  readonly days: string;
  /** Hours, minutes and seconds. */
  readonly micros: string;
}

/** Prints the fields of an interval, which stands in each of them. */
export function intervalParts(interval: string): IntervalPartsSql {
  const clock = ["hour", "minute", "microsecond"].map((part) => `datepart('${part}', ${interval})`);
  return {
    months: `(datepart('year', ${interval}) * 12 + datepart('month', ${interval}))`,
    days: `datepart('day', ${interval})`,
    micros: `(${clock[0]} * 3600000000 + ${clock[1]} * 60000000 + ${clock[2]})`,
  };
}
