import { createWay, mapInTurns } from "../../shared/concurrency/give-way.ts";
import type { CompileDependencies } from "../call/plan/compile-query.ts";
import { tablesNamed } from "../call/plan/endpoint-tables.ts";
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
 * `next` are all endpoints after the change, `changed` the ids of those that were added, changed or removed. Others
 * have their turn meanwhile.
 */
export async function checkReaders(
  next: readonly Endpoint[],
  changed: ReadonlySet<string>,
  { engine, tables }: Pick<CompileDependencies, "engine" | "tables">,
): Promise<CheckedSet> {
  const lookup = lookupOf(next);
  const broken: BrokenReader[] = [];
  const check = (endpoint: Endpoint): Endpoint => {
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
  };
  return { endpoints: await mapInTurns(next, check), broken };
}

/**
 * Looks again at those that read tables of these names, in lower case, and at those that could not run: contracts may
 * be others. One that is as it was stays the same object. Others have their turn meanwhile.
 */
export async function recheckReaders(
  endpoints: readonly Endpoint[],
  changed: ReadonlySet<string>,
  { engine, tables }: Pick<CompileDependencies, "engine" | "tables">,
): Promise<readonly Endpoint[]> {
  const readers = findReaders(endpoints, changed);
  const lookup = lookupOf(endpoints);
  return mapInTurns(endpoints, (endpoint) => {
    const isRead = readers.has(endpoint) && endpoint.sourceText === endpoint.definition.query;
    return isRead ? recheck(endpoint, { engine, tables, endpoints: lookup }) : endpoint;
  });
}

function recheck(endpoint: Endpoint, dependencies: CompileDependencies): Endpoint {
  const checked = checkEndpoint(endpoint, dependencies);
  if (checked.endpoint === undefined) {
    const problem = checked.problems[0]?.message ?? "it does not compile";
    return problem === endpoint.problem ? endpoint : { ...endpoint, problem };
  }
  const isSame = endpoint.problem === undefined && describe(checked.endpoint) === describe(endpoint);
  return isSame ? endpoint : checked.endpoint;
}

/** Names of endpoints that run now and would not with these tables, of which those of these names are others. */
export async function findBroken(
  endpoints: readonly Endpoint[],
  changed: ReadonlySet<string>,
  dependencies: CompileDependencies,
): Promise<readonly string[]> {
  const broken: string[] = [];
  const giveWay = createWay();
  for (const endpoint of findReaders(endpoints, changed)) {
    const isBroken = endpoint.problem === undefined && checkEndpoint(endpoint, dependencies).problems !== undefined;
    if (isBroken) broken.push(endpoint.definition.name);
    await giveWay();
  }
  return broken;
}

/** The endpoints that read tables of these names, directly or through others, and those that have a problem. */
function findReaders(endpoints: readonly Endpoint[], changed: ReadonlySet<string>): ReadonlySet<Endpoint> {
  const isReader = ({ savedQuery, problem, dataProblem }: Endpoint) =>
    problem !== undefined ||
    dataProblem !== undefined ||
    tablesNamed(savedQuery).some((name) => changed.has(name.toLowerCase()));
  const direct = new Set(endpoints.filter(isReader));
  const ids = new Set([...direct].map(({ definition }) => definition.id));
  return new Set(endpoints.filter((endpoint) => direct.has(endpoint) || endpoint.reads.some((id) => ids.has(id))));
}

function describe({ contract, publicContract, reads, dataProblem }: Endpoint): string {
  return JSON.stringify([contract, publicContract, reads, dataProblem]);
}

/** The endpoints that read one, directly or through others. */
export function readersOf(id: string, endpoints: readonly Endpoint[]): readonly Endpoint[] {
  return endpoints.filter(({ reads }) => reads.includes(id));
}
