import { GoogleSqlError } from "../googlesql/diagnostic.ts";
import { type CompileDependencies, compileOwn } from "./compile-endpoint.ts";
import { inferContract } from "./contract.ts";
import type { Endpoint } from "./definition.ts";
import { type EndpointLookup, effectiveParameters } from "./endpoint-tables.ts";
import type { FieldProblem } from "./field-problem.ts";

/** An endpoint with its contract, or why it is none. */
export type CheckedEndpoint =
  | { readonly endpoint: Endpoint; readonly problems?: undefined }
  | { readonly problems: readonly FieldProblem[]; readonly endpoint?: undefined };

/** Endpoints that read each other, by name. Of several with one name the last counts. */
export function lookupOf(endpoints: readonly Endpoint[]): EndpointLookup {
  const byName = new Map(endpoints.map((endpoint) => [endpoint.definition.name, endpoint]));
  return {
    findByName: (name) => byName.get(name),
    names: () => [...byName.keys()],
  };
}

/**
 * Compiles an endpoint's query as a call would, and looks whether its settings go together with it. `endpoints` are those it
 * may read, itself among them. Answers it with the contract it turns out to have.
 */
export function checkEndpoint(draft: Endpoint, dependencies: CompileDependencies): CheckedEndpoint {
  const problems: FieldProblem[] = [...findUnfit(draft)];
  try {
    const { query, found } = compileOwn(dependencies, draft);
    const read = [...new Set([...found.endpoints.values()].flatMap((endpoint) => endpoint ?? []))];
    const parameters = effectiveParameters(draft, read);
    const known = new Set(parameters.map(({ name }) => name.toLowerCase()));
    for (const { key } of query.parameters) {
      if (known.has(String(key).toLowerCase())) continue;
      problems.push({ path: ["query"], message: `The parameter @${key} is not declared`, code: "unknown_parameter" });
    }
    if (problems.length > 0) return { problems };
    const { problem: _, ...whole } = draft;
    const reads = read.map(({ definition }) => definition.id);
    return { endpoint: { ...whole, contract: inferContract(parameters, query), reads } };
  } catch (error) {
    return { problems: [...problems, ...fromQueryErrors(error)] };
  }
}

/** What the language reports about an endpoint's query. Throws whatever else it is. */
export function fromQueryErrors(error: unknown): readonly FieldProblem[] {
  if (!(error instanceof GoogleSqlError)) throw error;
  return error.diagnostics.map(({ code, message, span }) => ({ path: ["query"], code, message, offset: span.start }));
}

/** An alias stands for a table of the query's WITH, and does not hide another; the sandbox has tables. */
function findUnfit({ definition, savedQuery }: Endpoint): readonly FieldProblem[] {
  const tables = new Set((savedQuery.with?.entries ?? []).map((entry) => entry.name.name.toLowerCase()));
  const problems: FieldProblem[] = [];
  if (definition.isSandboxed && tables.size === 0) {
    const message = "a sandboxed endpoint needs a WITH clause: its tables are what callers may read";
    problems.push({ path: ["sandbox"], message });
  }
  for (const [alias, table] of Object.entries(definition.tableAliases)) {
    const path = ["table_aliases", alias];
    if (!tables.has(table.toLowerCase()))
      problems.push({ path, message: `the query's WITH clause has no table ${table}` });
    if (tables.has(alias.toLowerCase()))
      problems.push({ path, message: "the query's WITH clause has a table of this name" });
  }
  return problems;
}

/** Ids and names belong to one endpoint each. */
export function findTwins({ definition }: Endpoint, others: readonly Endpoint[]): readonly FieldProblem[] {
  return others.flatMap((other): readonly FieldProblem[] => {
    const who = describeHome(other);
    if (other.definition.id === definition.id) return [{ path: ["id"], message: `${who} has the same id` }];
    if (other.definition.name === definition.name) return [{ path: ["name"], message: `${who} has the same name` }];
    return [];
  });
}

/** An endpoint in words that say where to find it. */
function describeHome({ definition, origin }: Endpoint): string {
  return origin.kind === "file" ? origin.path : `the endpoint ${definition.name}`;
}
