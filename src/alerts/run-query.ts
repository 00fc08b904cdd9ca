import { readsOf, shownColumns } from "../endpoints/call/plan/planned-query.ts";
import { prepareOwnerQuery } from "../endpoints/call/prepare/owner-query.ts";
import { bindParameters, textReader } from "../endpoints/call/prepare/parameters.ts";
import type { PreparedCall } from "../endpoints/call/prepare/query-call.ts";
import { readToEnd, runPrepared } from "../endpoints/call/run/run-prepared.ts";
import type { EndpointRunner } from "../endpoints/call/run/runner.ts";
import type { EndpointDefinition } from "../endpoints/definition/definition.ts";
import type { QueryTarget } from "../endpoints/definition/query-target.ts";
import type { EndpointRegistry } from "../endpoints/management/endpoint-registry.ts";
import { toCallAccess } from "../endpoints/tenants/call-access.ts";
import { createTenancyFinder } from "../endpoints/tenants/tenancy.ts";
import { parseJson } from "../engines/contract/parse-json.ts";
import { tightest } from "../shared/budget.ts";
import type { FieldProblems } from "../shared/documents/document-form.ts";
import { ServiceError } from "../shared/errors.ts";
import type { SourceTables } from "../sources/source-tables.ts";
import type { AlertPlan } from "./alert.ts";
import type { AlertForm } from "./alert-form.ts";
import { columnsOf, type Row } from "./find-groups.ts";
import { createRedactionReader, type RedactionReader } from "./redactions.ts";

/** Rows that a run reads at most. */
const maxRunRows = 1_000;

/** The rows of one run. */
export interface AlertRows {
  readonly rows: readonly Row[];
  /** Whether there were more. */
  readonly isCut: boolean;
  /** The sources that were read. */
  readonly sources: readonly string[];
}

/** A run that ended, for the audit. */
export interface EndedRun {
  readonly endpoint: EndpointDefinition | undefined;
  readonly parameters: ReadonlyMap<string, unknown>;
  readonly redactsPii: boolean;
  readonly rows?: number;
  readonly error?: ServiceError;
  readonly durationMs: number;
}

/** Runs the queries of alerts. */
export interface AlertQueries extends RedactionReader {
  /**
   * The problems of a plan's query, and of the columns that it names, by the fields of its form. Nothing is run.
   */
  findProblems(plan: AlertPlan, form: AlertForm): FieldProblems;
  /** Runs the query, as at another time if one is given, in milliseconds since 1970. Throws `ServiceError`. */
  run(plan: AlertPlan, signal: AbortSignal, atMs?: number): Promise<AlertRows>;
}

export interface QueriesOptions {
  readonly runner: EndpointRunner;
  readonly tables: SourceTables;
  readonly endpoints: EndpointRegistry;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  readonly onRun: (plan: AlertPlan, run: EndedRun) => void;
}

/**
 * Runs queries as owners do, within the limits of the service. An endpoint runs within its own as well, and sees the
 * sources as a call of its address with the same parameters does: where they name a tenant, as that tenant.
 */
export function createAlertQueries({ runner, tables, endpoints, nowMs, onRun }: QueriesOptions): AlertQueries {
  const tenancies = createTenancyFinder({ tables, endpoints });
  const prepare = (plan: AlertPlan, atMs?: number): Prepared => {
    const { query, parameters } = plan;
    const nowUs = atMs === undefined ? undefined : BigInt(atMs) * 1_000n;
    const { engine } = runner;
    const compiling =
      nowUs === undefined
        ? engine
        : { ...engine, compile: ((asked, of) => engine.compile(asked, { ...of, nowUs })) as typeof engine.compile };
    const dependencies = { engine: compiling, tables, endpoints, nowMs: atMs ?? nowMs(), budget: runner.budget ?? {} };
    if (query.kind !== "endpoint") {
      const asked = { language: query.kind, text: query.text };
      return { call: prepareOwnerQuery(asked, parameters, false, dependencies), endpoint: undefined };
    }
    const endpoint = endpoints.find(query.text);
    if (endpoint === undefined) throw new ServiceError("unknown_endpoint", `There is no endpoint ${query.text}`);
    const { definition } = endpoint;
    const budget = tightest(dependencies.budget, definition.budget ?? {});
    const text = `SELECT * FROM \`${definition.name}\``;
    const asked = { language: "sql", text } as const;
    const readValue = textReader(bindParameters(endpoint.contract.parameters, parameters));
    const accessOf = (target: QueryTarget) => toCallAccess(tenancies.of(target), false, { readValue });
    const prepared = prepareOwnerQuery(asked, parameters, definition.redactsPii, { ...dependencies, budget, accessOf });
    const { detectors } = definition;
    return { call: { ...prepared, ...(detectors === undefined ? {} : { detectors }) }, endpoint: definition };
  };
  return {
    ...createRedactionReader(endpoints, nowMs),
    findProblems(plan, form) {
      try {
        return findColumnProblems(plan, shownColumns(prepare(plan).call.query));
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        return { [fieldOf(error, form)]: [error.message] };
      }
    },
    async run(plan, signal, atMs) {
      const startedMs = runner.now();
      const { query } = plan;
      const parameters = new Map(plan.parameters);
      if (query.kind !== "endpoint") parameters.set(query.kind, query.text);
      let prepared: Prepared | undefined;
      const note = (end: Pick<EndedRun, "rows" | "error">) => {
        const durationMs = runner.now() - startedMs;
        const redactsPii = prepared?.call.redactsPii ?? false;
        onRun(plan, { endpoint: prepared?.endpoint, parameters, redactsPii, durationMs, ...end });
      };
      try {
        prepared = prepare(plan, atMs);
        const rows = await readRows(runner, prepared.call, plan, signal);
        note({ rows: rows.rows.length });
        return rows;
      } catch (error) {
        if (error instanceof ServiceError) note({ error });
        throw error;
      }
    },
  };
}

interface Prepared {
  readonly call: PreparedCall;
  readonly endpoint: EndpointDefinition | undefined;
}

async function readRows(
  runner: EndpointRunner,
  call: PreparedCall,
  { id }: AlertPlan,
  signal: AbortSignal,
): Promise<AlertRows> {
  const maxRows = Math.min(call.maxRows, maxRunRows);
  const run = runPrepared(runner, { ...call, maxRows }, signal, { caller: `alert ${id}` });
  const { batches, summary } = await readToEnd(run);
  const sources = readsOf(call.query).map(({ source }) => source);
  return { rows: parseJson(`[${batches.join(",")}]`) as Row[], isCut: summary.isTruncated, sources };
}

function findColumnProblems(plan: AlertPlan, shown: ReturnType<typeof shownColumns>): FieldProblems {
  const columns = shown.map(({ name }) => name);
  const named = {
    when: plan.condition.column === undefined ? [] : [plan.condition.column],
    group_by: plan.groupBy,
    message: columnsOf(plan.message),
  };
  const problems = Object.entries(named).map(([field, names]) => {
    const unknown = names.filter((name) => !columns.includes(name));
    return [field, unknown.map((name) => `${name} is no column; columns are ${columns.join(", ")}`)] as const;
  });
  return Object.fromEntries(problems.filter(([, texts]) => texts.length > 0));
}

function fieldOf({ code }: ServiceError, form: AlertForm): string {
  if (code === "missing_parameter" || code === "invalid_parameter") return "parameters";
  return (["endpoint", "sql", "lql"] as const).find((field) => form[field] !== undefined) ?? "query";
}
