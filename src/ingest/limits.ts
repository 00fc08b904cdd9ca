/** Bounds on what one event may hold. */
export interface IngestLimits {
  /** Objects and arrays inside one another. */
  readonly maxDepth: number;
  /** Scalars in one event, at any depth. */
  readonly maxValues: number;
}

/** Of a body after decompression, where nothing else is said. */
export const defaultMaxBodyBytes = 12_000_000;

export const defaultIngestLimits: IngestLimits = { maxDepth: 64, maxValues: 5_000 };
