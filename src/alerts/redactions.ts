import { redactionOf, tablesNamed } from "../endpoints/call/plan/endpoint-tables.ts";
import { type OwnerQuery, parseOwnerQuery } from "../endpoints/call/prepare/owner-query.ts";
import type { EndpointRegistry } from "../endpoints/management/endpoint-registry.ts";
import type { AlertPlan } from "./alert.ts";

/** How endpoints redact, by their ids: with which detectors, null for none. */
export type Redactions = Readonly<Record<string, string | null>>;

/** Compares how endpoints redact at two times. */
export interface RedactionReader {
  /** Lists all endpoints that the alert's query reads now, also through others. */
  redactionsOf(plan: AlertPlan): Redactions;
  /** Whether those of them that are there redact so now. */
  isRedactedSo(redactions: Redactions): boolean;
}

export function createRedactionReader(endpoints: Pick<EndpointRegistry, "find">, nowMs: () => number): RedactionReader {
  /** A plan is another object once it has changed; its query is parsed here once. */
  const named = new WeakMap<AlertPlan, readonly string[]>();
  const findAll = (references: readonly string[]) => references.flatMap((each) => endpoints.find(each) ?? []);
  return {
    redactionsOf(plan) {
      const { kind, text } = plan.query;
      const names = named.get(plan) ?? (kind === "endpoint" ? [text] : tablesIn({ language: kind, text }, nowMs()));
      named.set(plan, names);
      const read = findAll(names);
      const all = [...read, ...read.flatMap(({ reads }) => findAll(reads))];
      return Object.fromEntries(all.map(({ definition }) => [definition.id, redactionOf(definition) ?? null]));
    },
    isRedactedSo: (redactions) =>
      findAll(Object.keys(redactions)).every(({ definition }) => {
        return (redactionOf(definition) ?? null) === redactions[definition.id];
      }),
  };
}

/** The names that a query reads as tables; none of one that cannot be parsed, and so does not run. */
function tablesIn(asked: OwnerQuery, nowMs: number): readonly string[] {
  try {
    return tablesNamed(parseOwnerQuery(asked, nowMs, {}));
  } catch {
    return [];
  }
}
