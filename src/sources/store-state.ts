import type {
  FigureDefinition,
  MistypedField,
  SourceReport,
  StoreProblem,
  StoreReport,
} from "../engines/contract/query-engine.ts";
import { isBeyondRetention, longestRetention } from "./retention.ts";
import { describeSpaceProblem, type SizeBounds } from "./size-bound.ts";
import type { RetentionDays, Source } from "./source.ts";

/**
 * The state of a store for the API and `logweir doctor --json`. The engine's own figures are beside the fields common
 * to all engines, under the names that `figures` defines.
 */
export interface StoreState {
  readonly engine: string;
  readonly directory: string | null;
  readonly rows: number;
  readonly sources: readonly SourceState[];
  readonly problems: readonly StoreProblem[];
  readonly figures: readonly FigureDefinition[];
  readonly [figure: string]: unknown;
}

/** One source of a store, with the engine's figures of it; times in ISO 8601. */
export interface SourceState {
  readonly name: string;
  readonly rows: number;
  readonly oldest: string | null;
  readonly newest: string | null;
  readonly fields: number;
  /** Events without a tenant; null for a source without tenants. */
  readonly without_tenant: number | null;
  /** Declared fields with values of events since the start that read as NULL: they are of another type. */
  readonly mistyped: readonly MistypedField[];
  readonly retention_days: RetentionDays | null;
  readonly [figure: string]: unknown;
}

type KnownSource = Pick<Source, "name" | "retentionDays">;

const noBounds: SizeBounds = { maxUsedBytes: undefined, minFreeBytes: undefined };

const hourUs = 3_600_000_000n;

/** The contents of a store, and its problems. Sources are those of the source files. */
export function describeStore(
  engine: string,
  report: StoreReport,
  sources: readonly KnownSource[],
  nowMs: number,
  bounds: SizeBounds = noBounds,
): StoreState {
  const tooLarge = report.space === undefined ? undefined : describeSpaceProblem(report.space, bounds);
  const known = new Map(sources.map((source) => [source.name, source]));
  return {
    ...report.figures,
    engine,
    directory: report.directory ?? null,
    rows: report.sources.reduce((sum, { rowCount }) => sum + rowCount, 0),
    sources: report.sources.map((source) => ({
      ...source.figures,
      name: source.name,
      rows: source.rowCount,
      oldest: toIso(source.oldestTimestampUs),
      newest: toIso(source.newestTimestampUs),
      fields: source.fieldCount,
      without_tenant: source.tenantlessCount ?? null,
      mistyped: source.mistyped ?? [],
      retention_days: known.get(source.name)?.retentionDays ?? null,
    })),
    problems: [
      ...report.problems,
      ...(tooLarge === undefined
        ? []
        : [{ code: "store_too_large", message: `${tooLarge}. A running service deletes the oldest events` }]),
      ...report.sources.flatMap((source) => findSourceProblems(source, known.get(source.name), nowMs)),
    ],
    figures: report.figureDefinitions,
  };
}

function toIso(timestampUs: bigint | null): string | null {
  const date = timestampUs === null ? undefined : new Date(Number(timestampUs / 1000n));
  return date === undefined || Number.isNaN(date.getTime()) ? null : date.toISOString();
}

function findSourceProblems(report: SourceReport, source: KnownSource | undefined, nowMs: number): StoreProblem[] {
  const { name, rowCount, oldestTimestampUs, newestTimestampUs } = report;
  const problems: StoreProblem[] = [];
  const add = (code: string, message: string) => void problems.push({ code, message, source: name });
  if (source === undefined && rowCount > 0) {
    add(
      "unknown_source",
      `The store holds ${rowCount} events of ${name}, which no source file names: no query reads them`,
    );
  }
  const retention = source?.retentionDays;
  const behind =
    oldestTimestampUs === null ? undefined : { tenant: undefined, timestampUs: oldestTimestampUs + 2n * hourUs };
  if (behind !== undefined && isBeyondRetention(retention, behind, nowMs)) {
    const days = longestRetention(retention);
    add(
      "retention_behind",
      `${name} has events older than its ${days} days; a running service deletes them within the hour`,
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
