/** Reports of an engine about its store, for its operators. */

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
  /** Notified of the store as a whole, or of each source. */
  readonly of: "store" | "source";
  /** The meaning of the figure, and of a high value, in a sentence. */
  readonly description: string;
}

/** By name. */
export type Figures = Readonly<Record<string, number>>;

/** Names of fields that every engine's answer has, and that no figure may have. */
export const reservedFigureNames: ReadonlySet<string> = new Set([
  ...["engine", "directory", "rows", "sources", "problems", "figures"],
  ...["name", "oldest", "newest", "fields", "without_tenant", "mistyped", "retention_days"],
]);

/** A problem of a store that needs attention. */
export interface StoreProblem {
  /** In snake case, for programs; listed in docs/storage.md. */
  readonly code: string;
  /** The problem, and what to do about it. */
  readonly message: string;
  readonly source?: string;
}

/** The events of a source, as counts and times. */
export interface SourceStatistics {
  readonly name: string;
  readonly rowCount: number;
  readonly oldestTimestampUs: bigint | null;
  readonly newestTimestampUs: bigint | null;
}

/** A declared field that events had values for which do not fit its type: they read as NULL. */
export interface MistypedField {
  /** Dotted, as the source's definition spells it. */
  readonly path: string;
  readonly type: string;
  readonly count: number;
  /** One of the values since events were last deleted, cut after 100 characters; null for none. */
  readonly example: string | null;
}

/** The part of a store that belongs to a source. */
export interface SourceReport extends SourceStatistics {
  /** Fields that events carried, or that were declared. */
  readonly fieldCount: number;
  /** Events without a tenant, of a source that has tenants. */
  readonly tenantlessCount?: number;
  /** Declared fields that events since the start had other values for. */
  readonly mistyped?: readonly MistypedField[];
  readonly figures: Figures;
}

/** The space of a store's events, in bytes. */
export interface StoreSpace {
  /** Space of stored events, without what is free to be used again. */
  readonly usedBytes: number;
  /** Space for more events; undefined where deleting events does not free it at once. */
  readonly freeBytes: number | undefined;
}

/** The state of a store. */
export interface StoreReport {
  /** Undefined where it cannot be determined exactly. */
  readonly space?: StoreSpace | undefined;
  /** Folder of the store; undefined where it is not on this machine's disk. */
  readonly directory: string | undefined;
  readonly figureDefinitions: readonly FigureDefinition[];
  readonly figures: Figures;
  /** The engine's own problems. */
  readonly problems: readonly StoreProblem[];
  readonly sources: readonly SourceReport[];
}
