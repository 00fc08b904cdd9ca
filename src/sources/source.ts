import type { SourceDefinition } from "../engines/contract/query-engine.ts";
import { uuidOf } from "../shared/crypto/uuid-of.ts";

/**
 * Days after which events are deleted: all, or those of the named tenants and by `default` the others. Without a
 * default the others are kept.
 */
export type RetentionDays = number | { readonly default?: number; readonly tenants?: Readonly<Record<string, number>> };

/** A log source as the service knows it: the engine's part, and what only the service needs. */
export interface Source extends SourceDefinition {
  /** Other names that ingest and queries accept. */
  readonly aliases: readonly string[];
  /** The kind of log, e.g. `edge`; for people and tools, the service does not interpret it. */
  readonly kind: string;
  readonly description: string;
  /** Undefined keeps all events. */
  readonly retentionDays: RetentionDays | undefined;
  /** A file unless it says otherwise. */
  readonly origin?: SourceOrigin;
}

/** Where a source is defined: in a file, by the API, or nowhere, because it is the service's own. */
export type SourceOrigin =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "api" }
  | { readonly kind: "service" };

/** Names that begin so are the service's own. */
export const ownNamePrefix = "logweir.";

/** A UUID derived from the name, so that a source has the same one everywhere. */
export function sourceId(name: string): string {
  return uuidOf(`logweir source ${name}`);
}

/** Texts about names and aliases that several sources have, also when compared without case. */
export function findSharedNames(sources: readonly Source[]): string[] {
  const owners = new Map<string, string>();
  const problems: string[] = [];
  for (const source of sources) {
    for (const name of new Set([source.name, ...source.aliases].map((each) => each.toLowerCase()))) {
      const owner = owners.get(name);
      if (owner !== undefined) problems.push(`Sources ${owner} and ${source.name} both have the name or alias ${name}`);
      owners.set(name, source.name);
    }
  }
  return problems;
}
