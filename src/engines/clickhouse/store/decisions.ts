/**
 * The schemas of sources, as every node derives them from the stored decisions: these apply in the order in which the
 * server has them, and one that assumes another state than it finds is skipped. Nodes therefore need no lock: a node
 * that wants a change stores a decision, reads all decisions, and sees whether its own has been applied.
 */
import type { SchemaEntry } from "../../schema/schema-entry.ts";
import type { SourceRules } from "../../schema/source/source-schema.ts";

export type Decision =
  /** The source is to be, in this table; its first entries are there. */
  | {
      readonly kind: "make";
      readonly table: string;
      readonly entries: readonly SchemaEntry[];
      readonly rules: SourceRules;
    }
  /** The entries follow the first `base`. */
  | { readonly kind: "grow"; readonly table: string; readonly base: number; readonly entries: readonly SchemaEntry[] }
  | { readonly kind: "rules"; readonly table: string; readonly rules: SourceRules }
  | { readonly kind: "drop"; readonly table: string };

/** A stored decision. */
export interface WrittenDecision {
  readonly source: string;
  readonly id: string;
  readonly decision: Decision;
}

/** A source as the decisions have it. */
export interface DecidedSource {
  readonly name: string;
  readonly table: string;
  readonly entries: readonly SchemaEntry[];
  readonly rules: SourceRules;
}

interface Growing extends DecidedSource {
  readonly entries: SchemaEntry[];
  rules: SourceRules;
}

export interface Outcome {
  /** By name. */
  readonly sources: ReadonlyMap<string, DecidedSource>;
  /** Ids of the decisions that came through. */
  readonly taken: ReadonlySet<string>;
}

function take(sources: Map<string, Growing>, name: string, decision: Decision): boolean {
  const source = sources.get(name);
  if (decision.kind === "make") {
    if (source !== undefined) return false;
    const { table, entries, rules } = decision;
    sources.set(name, { name, table, entries: [...entries], rules });
    return true;
  }
  if (source?.table !== decision.table) return false;
  switch (decision.kind) {
    case "grow":
      if (decision.base !== source.entries.length) return false;
      source.entries.push(...decision.entries);
      return true;
    case "rules":
      source.rules = decision.rules;
      return true;
    case "drop":
      return sources.delete(name);
  }
}

/** Goes through the decisions in their order. */
export function decide(written: readonly WrittenDecision[]): Outcome {
  const sources = new Map<string, Growing>();
  const taken = new Set<string>();
  for (const { source, id, decision } of written) if (take(sources, source, decision)) taken.add(id);
  return { sources, taken };
}
