/** Bounds on what one request and one event may hold. */
export interface IngestLimits {
  /** Of the body after decompression. */
  readonly maxBodyBytes: number;
  /** Objects and arrays inside one another. */
  readonly maxDepth: number;
  /** Scalars in one event, at any depth. */
  readonly maxValues: number;
}

export const defaultIngestLimits: IngestLimits = { maxBodyBytes: 12_000_000, maxDepth: 64, maxValues: 5_000 };
