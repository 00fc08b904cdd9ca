/** The embedded engine's reports about its file, its problems and its sources, from what the host reports. */

import type { LogLoss, SourceStatistics, StoreReport, StoreSpace } from "../../contract/query-engine.ts";
import type { FigureDefinition, Figures, StoreProblem } from "../../contract/store-report.ts";
import type { SourceState } from "../../schema/source/source-state.ts";
import type { HostReport, HostSizes, TableStatistics } from "../host/protocol.ts";

/** Converts the host's report about a source to the contract's types. */
export function toStatistics({ name, rowCount, oldestUs, newestUs }: TableStatistics): SourceStatistics {
  return {
    name,
    rowCount,
    oldestTimestampUs: oldestUs === null ? null : BigInt(oldestUs),
    newestTimestampUs: newestUs === null ? null : BigInt(newestUs),
  };
}

/** The file never shrinks: what is free in it is used before it grows. */
export function toSpace({ fileBytes, reusableBytes, diskFreeBytes }: HostSizes): StoreSpace {
  return { usedBytes: fileBytes - reusableBytes, freeBytes: diskFreeBytes + reusableBytes };
}

/** The same of all that it keeps. */
export function toReport(
  report: HostReport,
  { directory, logLoss }: { readonly directory: string | undefined; readonly logLoss: LogLoss | undefined },
  findState: (name: string) => Pick<SourceState, "mistyped"> | undefined,
): StoreReport {
  return {
    directory,
    space: toSpace(report),
    figureDefinitions,
    figures: storeFigures(report),
    problems: findStoreProblems(report, directory, logLoss),
    sources: report.sources.map((source) => ({
      ...toStatistics(source),
      fieldCount: source.fieldCount,
      ...(source.tenantlessCount === null ? {} : { tenantlessCount: source.tenantlessCount }),
      mistyped: [...(findState(source.name)?.mistyped.values() ?? [])],
      figures: sourceFigures(source),
    })),
  };
}

export const figureDefinitions: readonly FigureDefinition[] = [
  {
    name: "file_bytes",
    label: "On disk",
    unit: "bytes",
    of: "store",
    description: "Size of the events' file. It does not shrink; space that is free in it is used again.",
  },
  {
    name: "reusable_bytes",
    label: "Free in file",
    unit: "bytes",
    of: "store",
    description: "Space in the file that deleted events freed, and that new events use again.",
  },
  {
    name: "log_bytes",
    label: "Write-ahead log",
    unit: "bytes",
    of: "store",
    description: "Committed, and not yet in the file; a checkpoint empties it about every 64 MB.",
  },
  {
    name: "disk_free_bytes",
    label: "Disk free",
    unit: "bytes",
    of: "store",
    description: "Free on the disk of the data folder. Events are refused when there is none.",
  },
  {
    name: "runs",
    label: "Runs",
    unit: "count",
    of: "source",
    description: "Parts of the table that are sorted by tenant and time.",
  },
  {
    name: "tail_rows",
    label: "Tail",
    unit: "events",
    of: "source",
    description: "Events that are not sorted yet; queries are slower while they are many.",
  },
];

const MEBIBYTE = 1024 ** 2;
const MIN_FREE_BYTES = 512 * MEBIBYTE;
const MAX_LOG_BYTES = 512 * MEBIBYTE;
const MAX_TAIL_ROWS = 1_500_000;

export function storeFigures({ fileBytes, reusableBytes, logBytes, diskFreeBytes }: HostReport): Figures {
  return {
    file_bytes: fileBytes,
    reusable_bytes: reusableBytes,
    log_bytes: logBytes,
    disk_free_bytes: diskFreeBytes,
  };
}

export function sourceFigures({ runCount, tailRowCount }: HostReport["sources"][number]): Figures {
  return { runs: runCount, tail_rows: tailRowCount };
}

/** Returns the problems of the file; a store in memory has none. */
export function findStoreProblems(
  report: HostReport,
  directory: string | undefined,
  loss: LogLoss | undefined,
): readonly StoreProblem[] {
  return [
    ...(loss === undefined ? [] : [{ code: "log_shortened", message: describeLogLoss(loss) }]),
    ...(directory === undefined ? [] : findDiskProblems(report, directory)),
    ...report.sources.flatMap(findTailProblem),
  ];
}

function findDiskProblems({ diskFreeBytes, logBytes }: HostReport, directory: string): readonly StoreProblem[] {
  const problems: StoreProblem[] = [];
  if (diskFreeBytes < Math.max(MIN_FREE_BYTES, logBytes * 2)) {
    const megabytes = Math.floor(diskFreeBytes / 1e6);
    problems.push({
      code: "disk_nearly_full",
      message:
        `The disk of ${directory} has ${megabytes} MB left; make room, or lower retention_days. Events are ` +
        "refused when it is full",
    });
  }
  if (logBytes > MAX_LOG_BYTES) {
    problems.push({
      code: "log_too_long",
      message:
        `The write-ahead log has ${Math.floor(logBytes / 1e6)} MB; a backup or a statement that takes long, or a ` +
        "disk without room for a checkpoint, keeps it",
    });
  }
  return problems;
}

function findTailProblem({ name, tailRowCount }: HostReport["sources"][number]): readonly StoreProblem[] {
  if (tailRowCount <= MAX_TAIL_ROWS) return [];
  const message = `${tailRowCount} events of ${name} are not compacted yet: queries are slower until they are`;
  return [{ code: "compaction_behind", message, source: name }];
}

/** Describes the loss in the store's log, and what to do, for the operators. */
export function describeLogLoss({ foundAt, acknowledgedBytes, foundBytes }: LogLoss): string {
  const count = (bytes: number) => bytes.toLocaleString("en");
  return (
    `Acknowledged events are lost: when the store was opened at ${foundAt}, its write-ahead log had ` +
    `${count(foundBytes)} bytes, and ` +
    (`${count(acknowledgedBytes)} when its last events were acknowledged. Find out what cut the file (the ` +
      "disk, a copy, a file system check), ") +
    "and send those events again, or bring a backup back with `logweir restore`"
  );
}
