import { readPath } from "./field-path.ts";
import { type ChartAggregate, type ChartPeriod, chartAggregates, type LqlChart } from "./lql-ast.ts";
import type { Scanner } from "./scanner.ts";

/** The parsed form of one `c:` clause. */
export interface ChartParts {
  readonly start: number;
  readonly end: number;
  readonly period?: ChartPeriod;
  readonly measure?: { readonly aggregate: ChartAggregate; readonly path: readonly string[] | undefined };
}

const periods: ReadonlyMap<string, ChartPeriod> = new Map([
  ["second", "SECOND"],
  ["s", "SECOND"],
  ["minute", "MINUTE"],
  ["m", "MINUTE"],
  ["hour", "HOUR"],
  ["h", "HOUR"],
  ["day", "DAY"],
  ["d", "DAY"],
]);

const aggregates: ReadonlySet<string> = new Set(chartAggregates);

/** The text after `c:`: `group_by(t::PERIOD)` or `AGGREGATE(FIELD)`. Throws `LqlError` if it does not parse. */
export function readChart(scanner: Scanner, start: number): ChartParts {
  const nameStart = scanner.position;
  const name = scanner.take(/([a-z0-9_]+)\(/y)?.[1];
  if (name === "group_by") {
    const period = readGroupBy(scanner);
    return { start, end: scanner.position, period };
  }
  if (name === undefined || !isAggregate(name)) {
    const message = `A chart is group_by(t::PERIOD) or one of ${chartAggregates.join(", ")} with a field or * in parentheses`;
    throw scanner.error(message, nameStart);
  }
  const fieldStart = scanner.position;
  const path = scanner.take(/\*/y) === undefined ? readPath(scanner, `The field of ${name} is missing`) : undefined;
  // Every row is one of its own: so many different rows are there as rows.
  if (path === undefined && name !== "count" && name !== "countd")
    throw scanner.error(`${name} wants a field`, fieldStart);
  if (scanner.take(/\)/y) === undefined) throw scanner.error("The closing parenthesis is missing");
  return { start, end: scanner.position, measure: { aggregate: name, path } };
}

/** All `c:` clauses as one chart; of what is said twice the later counts, and the default is a count by minute. */
export function toChart(parts: readonly ChartParts[]): LqlChart | undefined {
  const [first, last] = [parts[0], parts.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const measure = parts.findLast((part) => part.measure !== undefined)?.measure;
  return {
    aggregate: measure?.aggregate ?? "count",
    path: measure?.path,
    period: parts.findLast((part) => part.period !== undefined)?.period ?? "MINUTE",
    span: { start: first.start, end: last.end },
  };
}

function readGroupBy(scanner: Scanner): ChartPeriod {
  if (scanner.take(/(?:timestamp|t)::/y) === undefined) throw scanner.error("A chart groups by t::PERIOD");
  const periodStart = scanner.position;
  const period = periods.get(scanner.take(/[a-z]+/y)?.[0] ?? "");
  if (period === undefined) throw scanner.error("The period is one of second, minute, hour, day", periodStart);
  if (scanner.take(/\)/y) === undefined) throw scanner.error("The closing parenthesis is missing");
  return period;
}

function isAggregate(name: string): name is ChartAggregate {
  return aggregates.has(name);
}
