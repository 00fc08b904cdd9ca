/** Limits on the content of one event. */
export interface IngestLimits {
  /** The nesting depth of objects and arrays. */
  readonly maxDepth: number;
  /** Scalars in one event, at any depth. */
  readonly maxValues: number;
}

/** The default maximum of a body after decompression. */
export const defaultMaxBodyBytes = 12_000_000;

export const defaultIngestLimits: IngestLimits = { maxDepth: 64, maxValues: 5_000 };
