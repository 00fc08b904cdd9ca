import { GoogleSqlError } from "../../googlesql/diagnostic.ts";
import { LqlError } from "../../lql/lql-error.ts";
import { ServiceError } from "../../shared/errors.ts";
import { listFields, type SourceField } from "../../sources/list-fields.ts";
import { type PlannedQuery, shownColumns } from "../call/plan/planned-query.ts";
import { prepareCall, prepareFairly } from "../call/prepare/prepare-call.ts";
import type { QueryCall } from "../call/prepare/query-call.ts";
import type { EndpointRunner } from "../call/run/runner.ts";
import { formatContractType } from "../definition/contract.ts";
import { type PlacedProblem, placeDiagnostics } from "../definition/field-problem.ts";

type Runner = Pick<EndpointRunner, "planner" | "cursors" | "budget" | "timeoutMs">;
type Call = Omit<QueryCall, "openSignal">;

/** Findings about a consumer's query that has not run. */
export interface ConsumerReport {
  readonly is_valid: boolean;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** All that is wrong with it. */
  readonly diagnostics: readonly PlacedProblem[];
  /** Parts that are probably mistakes, but run: fields that no event of the caller has carried. */
  readonly warnings: readonly PlacedProblem[];
}

/** A table that callers of an endpoint may query. */
export interface ScopeTable {
  readonly name: string;
  readonly aliases: readonly string[];
  /** True for the one that LQL reads unless it names another. */
  readonly is_default: boolean;
  readonly fields: readonly SourceField[];
}

/**
 * Describes the query of a call as running it would see it. Throws for what is wrong besides, such as a parameter
 * that is missing.
 */
export async function inspectConsumer(
  runner: Runner,
  call: Call,
  turn: Parameters<typeof prepareFairly>[2],
): Promise<ConsumerReport> {
  try {
    const { query } = await prepareFairly(runner, call, turn);
    const columns = shownColumns(query);
    return {
      is_valid: true,
      columns: columns.map(({ name, type }) => ({ name, type: formatContractType(type) })),
      diagnostics: [],
      warnings: warningsOf(call, query),
    };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const diagnostics = diagnosticsOf(error);
    if (diagnostics === undefined) throw error;
    return { is_valid: false, columns: [], diagnostics, warnings: [] };
  }
}

/** Returns warnings about the caller's own text only: those about the endpoint's query are for its owner. */
export function warningsOf(
  { parameters }: Pick<Call, "parameters">,
  { warnings = [] }: PlannedQuery,
): readonly PlacedProblem[] {
  const text = parameters.get("sql") ?? parameters.get("lql");
  return typeof text === "string" ? placeDiagnostics(text, warnings) : [];
}

/**
 * Returns a query's diagnostics for its consumer, which never show more than an answer would. Undefined for errors that
 * are not about its text.
 */
function diagnosticsOf({ code, message, details }: ServiceError): readonly PlacedProblem[] | undefined {
  const { cause } = details;
  if (cause instanceof GoogleSqlError) {
    const [first, ...others] = cause.diagnostics;
    return placeDiagnostics(cause.text, [{ ...first, message }, ...others]).map((problem, index) =>
      index === 0 ? { ...problem, code } : problem,
    );
  }
  if (!(cause instanceof LqlError)) return undefined;
  const { text, offset } = cause;
  const placed = placeDiagnostics(text, [
    { code: "syntax_error", message, span: { start: offset, end: Math.min(offset + 1, text.length) } },
  ]);
  return placed.map((problem) => ({ ...problem, code }));
}

/**
 * The tables of an endpoint's WITH clause that this call may read, as it sees them, with every field that holds
 * values.
 */
export function listScopeTables(runner: Runner, call: Call, defaultTable: string | undefined): readonly ScopeTable[] {
  const { definition, savedQuery } = call.target;
  const names = savedQuery.with?.entries.map((entry) => entry.name.name) ?? [];
  return names.flatMap((name) => {
    const parameters = new Map(call.parameters);
    for (const other of ["lql", "limit", "cursor"]) parameters.delete(other);
    parameters.set("sql", `SELECT * FROM \`${name}\``);
    const query = planAllowed(runner, { ...call, parameters });
    if (query === undefined) return [];
    const aliases = Object.entries(definition.tableAliases).flatMap(([alias, table]) => (table === name ? alias : []));
    const columns = shownColumns(query);
    return { name, aliases, is_default: name === defaultTable, fields: listFields({ name, columns }) };
  });
}

/** Undefined for a table that has nothing of the tenant to whom a pin binds the call. */
function planAllowed(runner: Runner, call: Call): PlannedQuery | undefined {
  try {
    return prepareCall(runner, call).query;
  } catch (error) {
    if (error instanceof ServiceError && error.code === "pinned_parameter") return undefined;
    throw error;
  }
}
