import { nsAt } from "./pushed-lines.ts";
import { invalidQueries } from "./queries/invalid-queries.ts";
import { logQueries } from "./queries/log-queries.ts";
import { metricQueries, steps } from "./queries/metric-queries.ts";
import { formatted, requests } from "./queries/requests.ts";

/** One request that both services are sent. */
export interface JudgeCase {
  readonly section: string;
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly isCategorized: boolean;
}

/** A minute before the first line, and behind the last. */
const wholeTime = { start: nsAt(-60), end: nsAt(300) };

/** The ways in which a log query is asked: both orders, with a limit, and with categories of labels. */
export function askLines(section: string, query: string): readonly JudgeCase[] {
  const to = (more: JudgeCase["parameters"], isCategorized: boolean): JudgeCase => {
    return { section, path: "query_range", parameters: { query, ...wholeTime, ...more }, isCategorized };
  };
  return [
    to({ limit: "1000", direction: "forward" }, false),
    to({ limit: "7" }, false),
    to({ limit: "1000", direction: "forward" }, true),
  ];
}

/** The ways in which a metric query is asked: at one time, and over a time. */
export function askNumbers(section: string, query: string): readonly JudgeCase[] {
  const isCategorized = false;
  return [
    { section, path: "query", parameters: { query, time: nsAt(120) }, isCategorized },
    { section, path: "query_range", parameters: { query, start: nsAt(0), end: nsAt(240), step: "30s" }, isCategorized },
  ];
}

const sections = (
  queries: Readonly<Record<string, readonly string[]>>,
  ask: (section: string, query: string) => readonly JudgeCase[],
) => Object.entries(queries).flatMap(([section, all]) => all.flatMap((query) => ask(section, query)));

/** Every case that a person wrote. */
export const writtenCases: readonly JudgeCase[] = [
  ...sections(logQueries, askLines),
  ...sections(metricQueries, askNumbers),
  ...steps.map(([query, start, end, step]): JudgeCase => {
    const parameters = { query, start: nsAt(start), end: nsAt(end), step };
    return { section: "steps", path: "query_range", parameters, isCategorized: false };
  }),
  ...Object.entries(requests).flatMap(([section, all]) =>
    all.map(([path, parameters]): JudgeCase => {
      const times = "time" in parameters || "since" in parameters ? {} : wholeTime;
      return { section, path, parameters: { ...times, ...parameters }, isCategorized: false };
    }),
  ),
  ...formatted.map((query): JudgeCase => {
    return { section: "layout of queries", path: "format_query", parameters: { query }, isCategorized: false };
  }),
  ...invalidQueries.map((query): JudgeCase => {
    const parameters = { query, ...wholeTime };
    return { section: "invalid queries", path: "query_range", parameters, isCategorized: false };
  }),
];
