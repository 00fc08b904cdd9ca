/** Prints what was measured of the HTTP side. */
import { formatTable, megabytes, milliseconds, ratioText } from "../report.ts";
import { quantileOf } from "../statistics.ts";
import { type HitsResult, type HttpReport, hitRatios, type ServedLoad } from "./measure-http.ts";

function loadRow(title: string, results: readonly ServedLoad[], ratios: readonly string[]): string[] {
  const median = (value: (result: ServedLoad) => number) => quantileOf(results.map(value), 0.5);
  return [
    title,
    Math.round(median(({ requestsPerSecond }) => requestsPerSecond)).toString(),
    milliseconds(median(({ p50Ms }) => p50Ms)),
    milliseconds(median(({ p99Ms }) => p99Ms)),
    median(({ cpuUs }) => cpuUs).toFixed(1),
    `${Math.round(median(({ busy }) => busy) * 100)} %`,
    ...ratios,
  ];
}

/** The tables of the HTTP part. */
export function formatHttp(report: HttpReport): string {
  const { rounds, identical, different, junk, leavers } = report;
  const ratios = hitRatios(rounds);
  const of = (kind: keyof HitsResult) => rounds.map((round) => round[kind]);
  const hits = formatTable(
    [
      `answers of ${report.bodyBytes} bytes`,
      "requests/s",
      "median ms",
      "p99",
      "server us",
      "sender busy",
      "requests/s, target",
      "the same by us",
      "p99, target",
    ],
    [
      loadRow("bare Fastify route", of("bare"), ["", "", ""]),
      loadRow("kept answer", of("hits"), [
        `${ratioText(ratios.requests)}, 0.7`,
        ratioText(ratios.cpu),
        `${ratioText(ratios.p99)}, 2`,
      ]),
      loadRow("304", of("unchanged"), [`${ratioText(ratios.unchanged)} of kept, > 1`, "", ""]),
    ],
  );
  const exports = formatTable(
    ["export as NDJSON", "rows", "MB", "first byte ms", "total ms", "service peak MB"],
    report.exports.map(({ title, rows, bytes, firstByteMs, totalMs, peakBytes }) => [
      title,
      String(rows),
      megabytes(bytes),
      milliseconds(firstByteMs),
      milliseconds(totalMs),
      megabytes(peakBytes),
    ]),
  );
  const lines = [
    `${identical.callers} identical misses: ${identical.answered} answered, ${identical.engineRuns} engine query`,
    `${different.callers} different misses: ${different.answered} answered, ${different.refused} refused, the ` +
      "last after " +
      `${milliseconds(different.slowestMs)} ms; ${megabytes(different.growthBytes)} MB more at most, with the ` +
      "engine host",
    `${leavers.callers} callers left: ${leavers.running} queries running 1 s later; in the next second all ` +
      "processes took " +
      `${leavers.cpuSeconds.toFixed(2)} s of processor time`,
    `${junk.calls} sets of junk: the process grew by ${megabytes(junk.growthBytes)} MB, the cache holds ` +
      `${megabytes(junk.keptBytes)} of ${megabytes(junk.cacheBytes)} MB`,
  ];
  return [
    `Load average ${report.loadAverage.toFixed(1)} while hits were measured`,
    "",
    hits,
    "",
    ...lines,
    "",
    exports,
  ].join("\n");
}
