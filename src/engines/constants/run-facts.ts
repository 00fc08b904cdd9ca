/** The values of a run that are known before anything is sent to an engine, and the constants computed from them. */
import type { Expr } from "../../googlesql/resolved.ts";
import type { RunRequest } from "../contract/query-engine.ts";
import { computeConstant, type RunFacts } from "./evaluate.ts";
import { type ConstantValue, constantOf, LeftToEngine } from "./values.ts";

/** Texts of a run that name a zone: each takes a tenth of a millisecond, in which the service answers nobody else. */
const MAX_NAMED_ZONES = 8;

/** The values of a call's parameters, and its clock. */
export function factsOf({ query, values }: Pick<RunRequest, "query" | "values">, nowUs: bigint): RunFacts {
  const own = query.parameters.map(({ key, type }, index) => [key, { type, value: values[index] ?? null }] as const);
  const known = new Map(own);
  let zoneCount = 0;
  return {
    nowUs,
    nameZone() {
      if (++zoneCount > MAX_NAMED_ZONES) throw new LeftToEngine("So many texts name a zone");
    },
    valueOf(key) {
      const found = known.get(key);
      return found === undefined ? null : constantOf(found.type, found.value);
    },
  };
}

/** The constant's value; undefined where it fails, which is for an engine to find out for each row. */
export function tryConstant(constant: Expr, facts: RunFacts): ConstantValue | undefined {
  try {
    return computeConstant(constant, facts);
  } catch {
    return undefined;
  }
}

/** The expressions among the parts as a text that tells them apart, wherever in a query they stand. */
export function describeConstants(parts: readonly unknown[]): string {
  return JSON.stringify(parts, (key, value: unknown) => (key === "span" ? undefined : value));
}

/** The facts for constants that read nothing of a run. */
export const NO_FACTS: RunFacts = {
  valueOf: () => null,
  nowUs: 0n,
  nameZone() {
    throw new LeftToEngine("The text names a zone");
  },
};
