import type { CompiledQuery, ParameterValue, QueryLimits } from "../../../engines/contract/query-engine.ts";
import type { Query } from "../../../googlesql/ast.ts";
import { type Diagnostic, GoogleSqlError } from "../../../googlesql/diagnostic.ts";
import { findParameters } from "../../../googlesql/parameters.ts";
import { parseQuery } from "../../../googlesql/parse.ts";
import type { SqlType } from "../../../googlesql/types.ts";
import { compileLql } from "../../../lql/compile-lql.ts";
import { LqlError } from "../../../lql/lql-error.ts";
import { type Budget, tightest } from "../../../shared/budget.ts";
import { ServiceError } from "../../../shared/errors.ts";
import { formatContractType, inferContract } from "../../definition/contract.ts";
import type { EndpointContract, ParameterDefinition } from "../../definition/definition.ts";
import { parameterTypes } from "../../definition/definition.ts";
import { type PlacedProblem, placeDiagnostics } from "../../definition/field-problem.ts";
import { sqlTypeOf } from "../../definition/parameter-value.ts";
import { createTarget, type QueryTarget } from "../../definition/query-target.ts";
import type { SourceAccess } from "../../tenants/tenant-tables.ts";
import { type CompileDependencies, type CompiledEndpoint, compileOwn } from "../plan/compile-query.ts";
import { effectiveParameters } from "../plan/endpoint-tables.ts";
import { fromLqlError, fromOwnQueryError } from "../plan/query-error.ts";
import { refuseLongQuery } from "./consumer-query.ts";
import { bindParameters, parseLimit } from "./parameters.ts";
import { findValue } from "./prepare-call.ts";
import type { PreparedCall } from "./query-call.ts";

/** A query that an owner sends to run over sources and endpoints. */
export interface OwnerQuery {
  readonly language: "sql" | "lql";
  readonly text: string;
}

/** The dependencies of owners' queries. */
export interface OwnerDependencies extends CompileDependencies {
  /** The clock of LQL's shorthands, in milliseconds since 1970. */
  readonly nowMs: number;
  /** The strictest limits of service and token. */
  readonly budget: Budget;
  /** How the query sees the sources; as a whole unless given. */
  readonly accessOf?: (target: QueryTarget) => SourceAccess;
}

/** Rows that an answer has at most. */
const maxOwnerRows: QueryLimits["maxRows"] = 10_000;

/** The description of a query that is not run. */
export interface QueryReport {
  /** Types are undefined when the query does not determine them because of its problems. */
  readonly parameters: readonly { readonly name: string; readonly type: string | null }[];
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** Sources that it reads, also through endpoints. */
  readonly tables: readonly string[];
  /** Names of endpoints that it reads. */
  readonly endpoints: readonly string[];
  readonly diagnostics: readonly PlacedProblem[];
  /** Likely mistakes that do not prevent it from running: fields that no event has carried. */
  readonly warnings: readonly PlacedProblem[];
  /** In the engine's SQL; null for a query with problems. */
  readonly compiled_sql: string | null;
  /** Which parts run on which engine; empty for a query with problems. */
  readonly explain: readonly ExplainedQueryPart[];
}

/** A part of a query in one engine's SQL, or a reason why that engine runs some of it. */
interface ExplainedQueryPart {
  readonly runs_on: string;
  readonly sql?: string;
  readonly reason?: string;
  readonly line?: number;
  readonly column?: number;
}

interface CompiledOwnerQuery extends CompiledEndpoint {
  readonly contract: EndpointContract;
}

/** Compiles an owner's query and binds its parameters. Throws `ServiceError` with line and column. */
export function prepareOwnerQuery(
  asked: OwnerQuery,
  parameters: ReadonlyMap<string, unknown>,
  redactsPii: boolean,
  dependencies: OwnerDependencies,
): PreparedCall {
  const budget = tightest({ max_rows: maxOwnerRows }, dependencies.budget);
  const maxRows = budget.max_rows ?? maxOwnerRows;
  try {
    const { query, contract } = compile(asked, parameters, dependencies);
    const bound = bindParameters(contract.parameters, parameters);
    return {
      query,
      values: query.parameters.map(({ key }) => findValue(bound, key)),
      maxRows: parseLimit(parameters.get("limit"), maxRows) ?? maxRows,
      budget,
      redactsPii,
      cursorScope: "",
    };
  } catch (error) {
    throw toServiceError(error);
  }
}

/** The problems of a query, for its owner; other errors are rethrown. */
function toServiceError(error: unknown): unknown {
  if (error instanceof LqlError) return fromLqlError(error);
  return error instanceof GoogleSqlError ? fromOwnQueryError(error) : error;
}

/**
 * Describes a query: all of its problems with positions; or its parameters, columns and tables. `explain` is that of a
 * call with these parameters, if they are valid for it.
 */
export async function inspectOwnerQuery(
  asked: OwnerQuery,
  parameters: ReadonlyMap<string, unknown>,
  dependencies: OwnerDependencies,
): Promise<{ readonly report: QueryReport; readonly error?: ServiceError }> {
  try {
    const { query, contract, found } = compile(asked, parameters, dependencies);
    const report = {
      parameters: contract.parameters.map(({ name, type }) => ({ name, type: formatContractType(sqlTypeOf(type)) })),
      columns: contract.columns.map(({ name, type }) => ({ name, type: formatContractType(type) })),
      tables: query.tables,
      endpoints: [...new Set([...found.endpoints.values()].flatMap((endpoint) => endpoint?.definition.name ?? []))],
      diagnostics: [],
      warnings: placeDiagnostics(asked.text, query.warnings ?? []),
      compiled_sql: query.sql,
      explain: await explain(query, valuesOf(query, contract, parameters), dependencies.engine),
    };
    return { report };
  } catch (error) {
    const answered = toServiceError(error);
    if (!(answered instanceof ServiceError)) throw answered;
    const report = {
      parameters: nameParameters(asked),
      columns: [],
      tables: [],
      endpoints: [],
      diagnostics: placeDiagnostics(asked.text, diagnosticsOf(error, asked.text, answered)),
      warnings: [],
      compiled_sql: null,
      explain: [],
    };
    return { report, error: answered };
  }
}

type QueryValues = readonly ParameterValue[] | undefined;

/** Undefined if the query could not be called with these parameters. */
function valuesOf(
  query: CompiledQuery,
  contract: EndpointContract,
  parameters: ReadonlyMap<string, unknown>,
): QueryValues {
  try {
    const bound = bindParameters(contract.parameters, parameters);
    return query.parameters.map(({ key }) => findValue(bound, key));
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

async function explain(query: CompiledQuery, values: QueryValues, engine: OwnerDependencies["engine"]) {
  return ((await engine.explain?.(query, values)) ?? []).map(({ runsOn, ...part }) => ({ runs_on: runsOn, ...part }));
}

function diagnosticsOf(error: unknown, text: string, { message }: ServiceError): readonly Diagnostic[] {
  if (error instanceof GoogleSqlError) return error.diagnostics;
  const start = error instanceof LqlError ? error.offset : 0;
  return [{ code: "syntax_error", message, span: { start, end: Math.min(start + 1, text.length) } }];
}

function nameParameters({ language, text }: OwnerQuery): QueryReport["parameters"] {
  if (language === "lql") return [];
  try {
    return findParameters(parseQuery(text)).map(({ key }) => ({ name: String(key), type: null }));
  } catch {
    // A syntax error, which is already reported.
    return [];
  }
}

function compile(
  asked: OwnerQuery,
  parameters: ReadonlyMap<string, unknown>,
  { nowMs, budget, accessOf, ...dependencies }: OwnerDependencies,
): CompiledOwnerQuery {
  refuseLongQuery(asked.language, asked.text, budget);
  const savedQuery = parseOwnerQuery(asked, nowMs, budget);
  const draft = createTarget({ id: "query", query: asked.text, savedQuery, maxRows: maxOwnerRows });
  const access = accessOf === undefined ? {} : { access: accessOf(draft) };
  const compiled = compileOwn(dependencies, draft, { ...access, infersParameters: true });
  const read = [...compiled.found.endpoints.values()].flatMap((endpoint) => endpoint ?? []);
  const inherited = effectiveParameters(draft, [...new Set(read)]);
  const known = new Set(inherited.map(({ name }) => name.toLowerCase()));
  const types = new Map(compiled.query.parameters.map(({ key, type }) => [String(key).toLowerCase(), type]));
  const own = findParameters(savedQuery)
    .filter(({ key }) => !known.has(String(key).toLowerCase()))
    .map(({ key, span }) => toParameter(asked.text, key, span, types.get(String(key).toLowerCase())))
    .map((each) => ({ ...each, isRequired: parameters.get(each.name) !== null }));
  if (own.length === 0) return { ...compiled, contract: inferContract(inherited, compiled.query) };
  // Again, now that every parameter has a type: columns may depend on them.
  const typed = compileOwn(dependencies, { ...draft, definition: { ...draft.definition, parameters: own } }, access);
  return { ...typed, contract: inferContract([...own, ...inherited], typed.query) };
}

/** Throws `GoogleSqlError` and `LqlError`. */
export function parseOwnerQuery(
  { language, text }: OwnerQuery,
  nowMs: number,
  { max_query_depth: maxDepth }: Budget,
): Query {
  if (language === "sql") return parseQuery(text, maxDepth);
  const missingTable = "Name the source or endpoint to read with f:";
  return compileLql(text, { defaultTable: undefined, missingTable, nowMs, maxRows: maxOwnerRows });
}

/** A parameter of the type that the query requires; every one must be sent, if only as null. */
function toParameter(
  text: string,
  key: string | number,
  span: Diagnostic["span"],
  type: SqlType | undefined,
): ParameterDefinition {
  const refuse = (message: string): never => {
    throw new GoogleSqlError(text, [{ code: "unsupported", message, span, name: String(key) }]);
  };
  if (typeof key === "number") return refuse("Parameters are named here: write @name instead of ?");
  // A parameter that is never bound has the type of a text.
  const kind = type?.kind ?? "STRING";
  const known = parameterTypes.find((each) => sqlTypeOf(each).kind === kind);
  if (known === undefined) {
    return refuse(`The parameter @${key} would be ${kind}, which cannot be sent; send another type and CAST it`);
  }
  return { name: key, type: known, isRequired: true, allowed: undefined, default: null, description: undefined };
}
