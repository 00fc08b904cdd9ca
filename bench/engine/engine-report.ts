import { formatTable, milliseconds, ratioText } from "../report.ts";
import { type EngineReport, type EngineResult, maxRatio } from "./measure-engine.ts";

function row({ title, rowCount, ours, handWritten }: EngineResult): string[] {
  const ratio = ours.medianMs / handWritten.medianMs;
  return [
    title,
    String(rowCount),
    milliseconds(ours.medianMs),
    milliseconds(ours.p99Ms),
    milliseconds(handWritten.medianMs),
    milliseconds(handWritten.p99Ms),
    `${ratioText(ratio)} ${ratio <= maxRatio ? "<=" : "OVER"} ${maxRatio}`,
  ];
}

/** The table of ratios, and what differs. */
export function formatEngine({ eventCount, version, results }: EngineReport): string {
  const header = ["warm median ms", "rows", "logweir", "p99", "hand-written", "p99", "ratio, target"];
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
