import { isDeepStrictEqual } from "node:util";
import { type Diagnostic, GoogleSqlError } from "../../googlesql/diagnostic.ts";
import { findNearest } from "../../shared/documents/nearest.ts";
import {
  type CompileDependencies,
  type CompiledEndpoint,
  compileResolved,
  listOwnTables,
  type ResolvedEndpoint,
  resolveOwn,
} from "../call/plan/compile-query.ts";
import { type EndpointLookup, effectiveParameters } from "../call/plan/endpoint-tables.ts";
import { describeOpenReads } from "../tenants/open-reads.ts";
import { createTenancyFinder, findTenancy } from "../tenants/tenancy.ts";
import type { SourceAccess, SourceLookup } from "../tenants/tenant-tables.ts";
import { inferContract } from "./contract.ts";
import { type Endpoint, type EndpointDefinition, noTenantParameter, type ParameterDefinition } from "./definition.ts";
import { describeWarnings, type FieldProblem } from "./field-problem.ts";
import { isAlias, isIdentifier } from "./header.ts";
import { inferParameters, inferringLookup } from "./infer-parameters.ts";

/** An endpoint with its contract, or the reasons why it is invalid. */
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

/** How strictly an endpoint is checked. */
export interface CheckOptions {
  /**
   * Whether it has to resolve both over what the sources declare and over all that events have carried, as a new one
   * has, and to have names of the required form. Otherwise one of both will do: what events are like keeps no endpoint
   * from being there, and neither does a rule of a later release.
   */
  readonly isNew?: boolean;
}

/**
 * Compiles an endpoint's query as calls would, and looks whether its settings go together with it. `endpoints` are
 * those it may read, itself among them. Answers it with the contract it turns out to have.
 */
export function checkEndpoint(
  asSaved: Endpoint,
  given: CompileDependencies,
  { isNew = false }: CheckOptions = {},
): CheckedEndpoint {
  const dependencies = { ...given, endpoints: inferringLookup(given) };
  const draft = inferParameters(asSaved, dependencies);
  const problems = [...findUnfit(draft), ...(isNew ? findUnfitNames(draft.definition) : [])];
  const asPublic = compileWith(draft, dependencies, { kind: "public" });
  const whole = isAlike(asPublic, dependencies) ? asPublic : compileWith(draft, dependencies, { kind: "whole" });
  const failed = [asPublic, whole].find(({ compiled }) => compiled === undefined)?.problems;
  const compiled = whole.compiled ?? asPublic.compiled;
  if (compiled === undefined || (isNew && failed !== undefined)) return { problems: [...problems, ...(failed ?? [])] };
  const read = [...new Set([...compiled.found.endpoints.values()].flatMap((endpoint) => endpoint ?? []))];
  const parameters = effectiveParameters(draft, read);
  const known = new Set(parameters.map(({ name }) => name.toLowerCase()));
  for (const { key } of compiled.query.parameters) {
    if (known.has(String(key).toLowerCase())) continue;
    problems.push({ path: ["query"], message: `The parameter @${key} is not declared`, code: "unknown_parameter" });
  }
  problems.push(...findUnfitTenant(draft, parameters));
  problems.push(...findUnfitHidden(draft, dependencies, { kind: whole.compiled === undefined ? "public" : "whole" }));
  if (problems.length > 0) return { problems };
  const { problem: _, dataProblem: __, warnings: ___, ...rest } = draft;
  const warnings = [
    ...describeWarnings(draft.sourceText, whole.compiled?.query.warnings ?? []),
    ...(parameters.length === 0 ? [] : findOpenReads(draft, asPublic, dependencies, read)),
  ];
  return {
    endpoint: {
      ...rest,
      contract: inferContract(parameters, compiled.query),
      publicContract:
        asPublic.compiled === undefined
          ? { parameters, columns: [] }
          : inferContract(parameters, asPublic.compiled.query),
      reads: read.map(({ definition }) => definition.id),
      ...(failed?.[0] === undefined ? {} : { dataProblem: failed[0].message }),
      ...(warnings.length === 0 ? {} : { warnings }),
    },
  };
}

type Attempt =
  | { readonly resolved: ResolvedEndpoint; readonly compiled: CompiledEndpoint; readonly problems?: undefined }
  | { readonly problems: readonly FieldProblem[]; readonly compiled?: undefined };

function compileWith(draft: Endpoint, dependencies: CompileDependencies, access: SourceAccess): Attempt {
  try {
    const resolved = resolveOwn(dependencies, draft, { access });
    return { resolved, compiled: compileResolved(dependencies.engine, draft, resolved) };
  } catch (error) {
    return { problems: fromQueryErrors(error) };
  }
}

/** True when the sources as a tenant sees them, the whole ones unless given, are those that the query was resolved over. */
function isAlike({ compiled }: Attempt, { tables }: CompileDependencies, tenant?: string | null): boolean {
  const isSame = ({ name, definition }: SourceLookup) => isDeepStrictEqual(tables.findTable(name, tenant), definition);
  return compiled?.found.sources.every(isSame) ?? false;
}

/** The problems that the language reports for an endpoint's query. Rethrows other errors. */
export function fromQueryErrors(error: unknown): readonly FieldProblem[] {
  if (!(error instanceof GoogleSqlError)) throw error;
  const { diagnostics } = error;
  // But for what else is wrong, parameters that resemble no declared one would be inferred.
  const isInferable = ({ code, suggestion }: Diagnostic) => code === "unknown_parameter" && suggestion === undefined;
  const others = diagnostics.filter((diagnostic) => !isInferable(diagnostic));
  const told = others.length > 0 ? others : diagnostics;
  return told.map(({ code, message, span }) => ({ path: ["query"], code, message, offset: span.start }));
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

/**
 * Names that an earlier release took: those of parameters, declared or not, which callers send and documents list, and
 * those of tables.
 */
export function findUnfitNames({ parameters, tableAliases }: EndpointDefinition): readonly FieldProblem[] {
  const name = (text: string) => JSON.stringify(text.length > 100 ? `${text.slice(0, 100).toWellFormed()}...` : text);
  const rule = "a letter or '_', then letters, digits and '_', 128 at most";
  const ofParameters = parameters
    .filter((parameter) => !isIdentifier(parameter.name))
    .map((parameter) => ({
      path: [parameter.isInferred ? "query" : "parameters"],
      message: `the parameter ${name(parameter.name)} needs a name of the form: ${rule}`,
    }));
  const ofTables = Object.keys(tableAliases)
    .filter((alias) => !isAlias(alias))
    .map((alias) => ({
      path: ["table_aliases"],
      message: `${name(alias)} needs the form: ${rule.replace("digits and", "digits, '.', '-' and")}`,
    }));
  return [...ofParameters, ...ofTables];
}

/** Where the sources' declarations are not enough to resolve the query, its calls report what is wrong. */
function findOpenReads(
  draft: Endpoint,
  asPublic: Attempt,
  dependencies: CompileDependencies,
  read: readonly Endpoint[],
): readonly string[] {
  try {
    const isDeclared = asPublic.compiled !== undefined && isAlike(asPublic, dependencies, null);
    const tenancy = isDeclared ? findTenancy(draft, asPublic.resolved) : createTenancyFinder(dependencies).of(draft);
    return describeOpenReads(draft, tenancy, read);
  } catch (error) {
    if (error instanceof GoogleSqlError) return [];
    throw error;
  }
}

/** A tenant is a text: the parameter that selects it is one too. `parameters` are those of the endpoint's callers. */
function findUnfitTenant(
  { definition: { tenantParameter: wanted } }: Endpoint,
  parameters: readonly ParameterDefinition[],
): readonly FieldProblem[] {
  if (wanted === undefined) return [];
  const path = ["tenant_parameter"];
  const found = parameters.find(({ name }) => name === wanted);
  if (wanted === noTenantParameter) {
    const message = "none means that no parameter confines calls; the parameter none needs another name to do so";
    return found === undefined ? [] : [{ path, message }];
  }
  if (found?.type === "string") return [];
  if (found !== undefined) {
    return [{ path, message: `the parameter ${wanted} is ${found.type}; a tenant is told by one of the type string` }];
  }
  const names = parameters.map(({ name }) => name);
  const nearest = findNearest(wanted, names);
  const guess = nearest === undefined ? `; declare it below parameters` : `; did you mean ${nearest}?`;
  return [{ path, message: `there is no parameter ${wanted}${guess}` }];
}

/** A column that callers read by name only is one of a WITH table, and leaves it others. */
function findUnfitHidden(
  draft: Endpoint,
  dependencies: CompileDependencies,
  access: SourceAccess,
): readonly FieldProblem[] {
  const { hiddenColumns = [] } = draft.definition;
  if (hiddenColumns.length === 0) return [];
  const path = ["hidden_columns"];
  const hidden = new Set(hiddenColumns.map((name) => name.toLowerCase()));
  const problems: FieldProblem[] = [];
  const known = new Map<string, string>();
  for (const { name, columns } of listOwnTables(dependencies, draft, access)) {
    if (columns.every((column) => hidden.has(column.toLowerCase()))) {
      problems.push({ path, message: `hides every column of ${name}` });
    }
    for (const column of columns) if (column !== "") known.set(column.toLowerCase(), column);
  }
  for (const name of hiddenColumns) {
    if (known.has(name.toLowerCase())) continue;
    const nearest = findNearest(name, known.values());
    const guess = nearest === undefined ? "" : `; did you mean ${nearest}?`;
    problems.push({ path, message: `no table of the query's WITH clause has a column ${name}${guess}` });
  }
  return problems;
}

/** Ids and names belong to one endpoint each. */
export function findTwins({ definition }: Endpoint, others: readonly Endpoint[]): readonly FieldProblem[] {
  return others.flatMap((other): readonly FieldProblem[] => {
    const field = (["id", "name"] as const).find((each) => other.definition[each] === definition[each]);
    return field === undefined ? [] : [{ path: [field], message: `${describeHome(other)} has the same ${field}` }];
  });
}

/** An endpoint, described by its location. */
function describeHome({ definition, origin }: Endpoint): string {
  return origin.kind === "file" ? origin.path : `the endpoint ${definition.name}`;
}
