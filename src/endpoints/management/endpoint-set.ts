import type { CompileDependencies } from "../call/plan/compile-query.ts";
import { checkEndpoint, lookupOf } from "../definition/check-endpoint.ts";
import type { Endpoint } from "../definition/definition.ts";
import type { FieldProblem } from "../definition/field-problem.ts";

/** An endpoint that reads what has changed, and no longer can. */
export interface BrokenReader {
  readonly endpoint: Endpoint;
  readonly problem: FieldProblem;
}

/** All endpoints after a change: readers of what has changed with the contracts that they have now. */
export interface CheckedSet {
  readonly endpoints: readonly Endpoint[];
  readonly broken: readonly BrokenReader[];
}

/**
 * Looks at those that read what has changed, and at those that could not run before: what they read may be there now.
 * `next` are all endpoints after the change, `changed` the ids of those that were added, changed or removed.
 */
export function checkReaders(
  next: readonly Endpoint[],
  changed: ReadonlySet<string>,
  { engine, tables }: Pick<CompileDependencies, "engine" | "tables">,
): CheckedSet {
  const lookup = lookupOf(next);
  const broken: BrokenReader[] = [];
  const endpoints = next.map((endpoint) => {
    const { definition, reads, problem } = endpoint;
    // One whose text does not parse has another text's tree.
    if (changed.has(definition.id) || endpoint.sourceText !== definition.query) return endpoint;
    if (problem === undefined && !reads.some((id) => changed.has(id))) return endpoint;
    const checked = checkEndpoint(endpoint, { engine, tables, endpoints: lookup });
    if (checked.endpoint !== undefined) return checked.endpoint;
    const [first] = checked.problems;
    if (first === undefined) return endpoint;
    if (problem === undefined) broken.push({ endpoint, problem: first });
    return { ...endpoint, problem: first.message };
  });
  return { endpoints, broken };
}

/**
 * Looks at all of them again, since their tables may be others: contracts, and whether they run. One that is as it
 * was stays the same object.
 */
export function recheckAll(
  endpoints: readonly Endpoint[],
  { engine, tables }: Pick<CompileDependencies, "engine" | "tables">,
): readonly Endpoint[] {
  const lookup = lookupOf(endpoints);
  return endpoints.map((endpoint) => {
    if (endpoint.sourceText !== endpoint.definition.query) return endpoint;
    const checked = checkEndpoint(endpoint, { engine, tables, endpoints: lookup });
    if (checked.endpoint === undefined) {
      const problem = checked.problems[0]?.message ?? "it does not compile";
      return problem === endpoint.problem ? endpoint : { ...endpoint, problem };
    }
    const isSame = endpoint.problem === undefined && describe(checked.endpoint) === describe(endpoint);
    return isSame ? endpoint : checked.endpoint;
  });
}

function describe({ contract, publicContract, reads, dataProblem }: Endpoint): string {
  return JSON.stringify([contract, publicContract, reads, dataProblem]);
}

/** The endpoints that read one, directly or through others. */
export function readersOf(id: string, endpoints: readonly Endpoint[]): readonly Endpoint[] {
  return endpoints.filter(({ reads }) => reads.includes(id));
}
