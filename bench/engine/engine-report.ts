import { formatTable, milliseconds, ratioText } from "../report.ts";
import { type EngineReport, type EngineResult, maxPlanMs, maxRatio } from "./measure-engine.ts";

function beside(value: number, text: string, max: number): string {
  return `${text} ${value <= max ? "<=" : "OVER"} ${max}`;
}

function row({ title, rowCount, ours, handWritten, planMs }: EngineResult): string[] {
  const ratio = ours.medianMs / handWritten.medianMs;
  return [
    title,
    String(rowCount),
    milliseconds(ours.medianMs),
    milliseconds(ours.p99Ms),
    milliseconds(handWritten.medianMs),
    milliseconds(handWritten.p99Ms),
    beside(ratio, ratioText(ratio), maxRatio),
    beside(planMs, milliseconds(planMs), maxPlanMs),
  ];
}

/** The table of ratios, and what differs. */
export function formatEngine({ eventCount, version, results }: EngineReport): string {
  const header = [
    "warm median ms",
    "rows",
    "logweir",
    "p99",
    "hand-written",
    "p99",
    "ratio, target",
    "uncached plan, target",
  ];
  const differences = results
    .filter(({ difference }) => difference !== undefined)
    .map(({ title, difference }) => `DIFFERENT ANSWERS: ${title}: ${difference}`);
  return [
    `${eventCount} events, ClickHouse ${version}`,
    "",
    formatTable(header, results.map(row)),
    ...differences,
  ].join("\n");
}
