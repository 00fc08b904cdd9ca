import type { SourceDefinition } from "../engines/engine.ts";

/** A log source as the service knows it: the engine's part, and what only the service needs. */
export interface Source extends SourceDefinition {
  /** Other names that ingest and queries accept. */
  readonly aliases: readonly string[];
  /** What kind of log it is, e.g. `edge`; for people and tools, the service draws no conclusion from it. */
  readonly kind: string;
  readonly description: string;
  /** Days after which events are dropped; undefined keeps them. */
  readonly retentionDays: number | undefined;
}
