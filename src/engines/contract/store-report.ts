/** What an engine reports about its store, for its operators. */
import type { MistypedField, SourceStatistics } from "./event-store.ts";

/**
 * A figure that an engine reports about its store. Each engine has its own, so nothing outside of it may count on one;
 * code that shows them reads these definitions.
 */
export interface FigureDefinition {
  /** In snake case; the values stand under it in `/api/store` and `doctor --json`. None of `reservedFigureNames`. */
  readonly name: string;
  /** A word or two for the head of a column. */
  readonly label: string;
  readonly unit: "bytes" | "events" | "count";
  /** Told of the store as a whole, or of each source. */
  readonly of: "store" | "source";
  /** What it counts, and what a high value means, in a sentence. */
  readonly description: string;
}

/** By name. */
export type Figures = Readonly<Record<string, number>>;

/** What every engine's answer has under these names, so that no figure may. */
export const reservedFigureNames: ReadonlySet<string> = new Set([
  ...["engine", "directory", "rows", "sources", "problems", "figures"],
  ...["name", "oldest", "newest", "fields", "without_tenant", "mistyped", "retention_days"],
]);

/** A problem of a store that needs attention. */
export interface StoreProblem {
  /** In snake case, for programs; listed in docs/storage.md. */
  readonly code: string;
  /** What is wrong and what to do about it. */
  readonly message: string;
  readonly source?: string;
}

/** What is known of a source's part of a store. */
export interface SourceReport extends SourceStatistics {
  /** Fields that events carried, or that were declared. */
  readonly fieldCount: number;
  /** Events without a tenant, of a source that has tenants. */
  readonly tenantlessCount?: number;
  /** Declared fields that events since the start had other values for. */
  readonly mistyped?: readonly MistypedField[];
  readonly figures: Figures;
}

/** The state of a store. */
export interface StoreReport {
  /** Folder of the store; undefined where it is not on this machine's disk. */
  readonly directory: string | undefined;
  readonly figureDefinitions: readonly FigureDefinition[];
  readonly figures: Figures;
  /** Of the engine's own making. */
  readonly problems: readonly StoreProblem[];
  readonly sources: readonly SourceReport[];
}
