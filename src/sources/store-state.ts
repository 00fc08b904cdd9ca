import { describeLogLoss } from "../engines/contract/describe-log-loss.ts";
import type { LogLoss, MistypedField, SourceReport, StoreReport } from "../engines/contract/query-engine.ts";
import { retentionStartUs } from "./retention.ts";
import type { Source } from "./source.ts";

/** Something about a store that somebody should look at. */
export interface StoreProblem {
  readonly code:
    | "disk_nearly_full"
    | "log_too_long"
    | "log_shortened"
    | "damaged"
    | "compaction_behind"
    | "retention_behind"
    | "unknown_source"
    | "events_in_the_future";
  /** What is wrong and what to do about it. */
  readonly message: string;
  readonly source?: string;
}

/** The state of a store as the API and `logweir doctor --json` tell it. */
export interface StoreState {
  readonly engine: string;
  readonly directory: string | null;
  readonly rows: number;
  readonly file_bytes: number;
  readonly reusable_bytes: number;
  readonly log_bytes: number;
  readonly disk_free_bytes: number;
  readonly sources: readonly SourceState[];
  readonly problems: readonly StoreProblem[];
}

/** One source of a store; times in ISO 8601. */
export interface SourceState {
  readonly name: string;
  readonly rows: number;
  readonly oldest: string | null;
  readonly newest: string | null;
  readonly fields: number;
  readonly runs: number;
  readonly tail_rows: number;
  /** Events without a tenant; null for a source without tenants. */
  readonly without_tenant: number | null;
  /** Declared fields with values of events since the start that read as NULL: they are of another type. */
  readonly mistyped: readonly MistypedField[];
  readonly retention_days: number | null;
}

type KnownSource = Pick<Source, "name" | "retentionDays">;

const mebibyte = 1024 ** 2;
const minFreeBytes = 512 * mebibyte;
const maxLogBytes = 512 * mebibyte;
const maxTailRows = 1_500_000;
const hourUs = 3_600_000_000n;

/** What a store holds, and what is wrong with it. Sources are those of the source files. */
export function describeStore(
  engine: string,
  report: StoreReport,
  sources: readonly KnownSource[],
  nowMs: number,
): StoreState {
  const known = new Map(sources.map((source) => [source.name, source]));
  return {
    engine,
    directory: report.directory ?? null,
    rows: report.sources.reduce((sum, { rowCount }) => sum + rowCount, 0),
    file_bytes: report.fileBytes,
    reusable_bytes: report.reusableBytes,
    log_bytes: report.logBytes,
    disk_free_bytes: report.diskFreeBytes,
    sources: report.sources.map((source) => ({
      name: source.name,
      rows: source.rowCount,
      oldest: toIso(source.oldestTimestampUs),
      newest: toIso(source.newestTimestampUs),
      fields: source.fieldCount,
      runs: source.runCount,
      tail_rows: source.tailRowCount ?? 0,
      without_tenant: source.tenantlessCount ?? null,
      mistyped: source.mistyped ?? [],
      retention_days: known.get(source.name)?.retentionDays ?? null,
    })),
    problems: [
      ...(report.logLoss === undefined ? [] : [findLogProblem(report.logLoss)]),
      ...findDiskProblems(report),
      ...report.sources.flatMap((source) => findSourceProblems(source, known.get(source.name), nowMs)),
    ],
  };
}

function toIso(timestampUs: bigint | null): string | null {
  const date = timestampUs === null ? undefined : new Date(Number(timestampUs / 1000n));
  return date === undefined || Number.isNaN(date.getTime()) ? null : date.toISOString();
}

function findLogProblem(loss: LogLoss): StoreProblem {
  return { code: "log_shortened", message: describeLogLoss(loss) };
}

function findDiskProblems({ directory, diskFreeBytes, logBytes }: StoreReport): StoreProblem[] {
  if (directory === undefined) return [];
  const problems: StoreProblem[] = [];
  if (diskFreeBytes < Math.max(minFreeBytes, logBytes * 2)) {
    const megabytes = Math.floor(diskFreeBytes / 1e6);
    problems.push({
      code: "disk_nearly_full",
      message:
        `The disk of ${directory} has ${megabytes} MB left; make room, or lower retention_days. Events are ` +
        "refused when it is full",
    });
  }
  if (logBytes > maxLogBytes) {
    problems.push({
      code: "log_too_long",
      message:
        `The write-ahead log has ${Math.floor(logBytes / 1e6)} MB; a backup that takes long, or a disk without ` +
        "room for a checkpoint, keeps it",
    });
  }
  return problems;
}

function findSourceProblems(report: SourceReport, source: KnownSource | undefined, nowMs: number): StoreProblem[] {
  const { name, rowCount, oldestTimestampUs, newestTimestampUs, tailRowCount = 0 } = report;
  const problems: StoreProblem[] = [];
  const add = (code: StoreProblem["code"], message: string) => void problems.push({ code, message, source: name });
  if (source === undefined && rowCount > 0) {
    add(
      "unknown_source",
      `The store holds ${rowCount} events of ${name}, which no source file names: no query reads them`,
    );
  }
  if (tailRowCount > maxTailRows) {
    add(
      "compaction_behind",
      `${tailRowCount} events of ${name} are not compacted yet: queries are slower until they are`,
    );
  }
  const startUs = source === undefined ? undefined : retentionStartUs(source, nowMs);
  if (startUs !== undefined && oldestTimestampUs !== null && oldestTimestampUs < startUs - 2n * hourUs) {
    add(
      "retention_behind",
      `${name} has events older than its ${source?.retentionDays} days; a running service deletes them within the hour`,
    );
  }
  if (newestTimestampUs !== null && newestTimestampUs > BigInt(nowMs) * 1000n + 24n * hourUs) {
    add(
      "events_in_the_future",
      `${name} has events of more than a day in the future; look at the clock of their sender`,
    );
  }
  return problems;
}
