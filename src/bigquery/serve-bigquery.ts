import { isSet, pinOf, valuesOf } from "../access/pins.ts";
import { findDefaultTable } from "../endpoints/call/plan/saved-query.ts";
import { listScopeTables } from "../endpoints/explore/inspect-consumer.ts";
import type { OutputColumn } from "../engines/contract/query-engine.ts";
import { GoogleSqlError } from "../googlesql/diagnostic.ts";
import { invalidParameter, ServiceError } from "../shared/errors.ts";
import type { BigQueryCaller } from "./bigquery-caller.ts";
import { type Dataset, findDataset, listDatasets } from "./datasets.ts";
import { describeJob, referJob, resultsDataset, stateOf } from "./job-resource.ts";
import { cancelJob, finishJob, isCancelled, jobOfToken, readPage } from "./job-results.ts";
import { type Job, type JobStore, newJob } from "./job-store.ts";
import { type QueryParameter, toPlainValue } from "./parameter-literal.ts";
import { type PlacedQuery, placeQuery } from "./place-query.ts";
import {
  type Fields,
  type QueryRequest,
  readJobRequest,
  readListPage,
  readPageRequest,
  readQueryRequest,
} from "./read-request.ts";
import { toSchema } from "./row-format.ts";
import { describeQuery, openQuery, type RunnableQuery } from "./run-query.ts";

/** A request's caller, the project in its address, and the jobs of all callers. */
export interface BigQueryContext {
  readonly caller: BigQueryCaller;
  readonly project: string;
  readonly jobs: JobStore;
}

/** `projects.list`: any project may be named; a token that is pinned to tenants gets these. */
export function listProjects({ identity }: BigQueryCaller): object {
  const ids = [...new Set(Object.values(identity.pins).flatMap((pin) => valuesOf(pin) ?? []))];
  const projects = (ids.length === 0 ? ["logweir"] : ids).map((id) => ({
    ...{ kind: "bigquery#project", id, numericId: "0", friendlyName: id, projectReference: { projectId: id } },
  }));
  return { kind: "bigquery#projectList", projects, totalItems: projects.length };
}

/** `datasets.list` */
export function answerDatasets({ caller, project }: BigQueryContext, sent: Fields): object {
  const { items, next } = readListPage(listDatasets(caller.endpoints, caller.identity), sent);
  return { kind: "bigquery#datasetList", datasets: items.map((each) => describeDataset(project, each)), ...next };
}

/** `datasets.get` */
export function answerDataset({ caller, project }: BigQueryContext, id: string): object {
  return describeDataset(project, findDataset(listDatasets(caller.endpoints, caller.identity), id));
}

function describeDataset(project: string, { id, endpoint: { definition } }: Dataset): object {
  return {
    kind: "bigquery#dataset",
    id: `${project}:${id}`,
    datasetReference: { projectId: project, datasetId: id },
    friendlyName: definition.name,
    description: definition.description,
    location: "logweir",
    access: [],
  };
}

/** `tables.list`: the tables of which the caller may read anything. */
export async function answerTables(context: BigQueryContext, datasetId: string, sent: Fields): Promise<object> {
  const { caller, project } = context;
  const { endpoint } = findDataset(listDatasets(caller.endpoints, caller.identity), datasetId);
  const parameters = chooseParameters(context, endpoint, []);
  const call = await caller.openCall(endpoint.definition.id, parameters, false);
  const tables = listScopeTables(caller.runner, call, findDefaultTable(call.target.savedQuery));
  const { items, next } = readListPage(tables, sent);
  return {
    kind: "bigquery#tableList",
    tables: items.map(({ name }) => describeTable(project, datasetId, name)),
    totalItems: tables.length,
    ...next,
  };
}

function describeTable(project: string, datasetId: string, tableId: string): object {
  return {
    kind: "bigquery#table",
    id: `${project}:${datasetId}.${tableId}`,
    tableReference: { projectId: project, datasetId, tableId },
    type: "TABLE",
    location: "logweir",
  };
}

/** `tables.get`, of the result of a job too. */
export async function answerTable(context: BigQueryContext, datasetId: string, tableId: string): Promise<object> {
  const columns = await describeColumns(context, datasetId, tableId);
  return { ...describeTable(context.project, datasetId, tableId), schema: toSchema(columns) };
}

async function describeColumns(
  context: BigQueryContext,
  datasetId: string,
  tableId: string,
): Promise<readonly OutputColumn[]> {
  const { caller, jobs } = context;
  if (datasetId === resultsDataset) return jobs.find(caller.identity.tokenId, tableId).columns;
  return (await place(context, readTableRequest(datasetId, tableId))).columns;
}

/** `tabledata.list` */
export async function listRows(
  context: BigQueryContext,
  datasetId: string,
  tableId: string,
  sent: Fields,
): Promise<object> {
  const { caller, jobs } = context;
  const { tokenId } = caller.identity;
  const page = readPageRequest(sent);
  const first = page.pageToken === undefined ? undefined : (jobOfToken(page.pageToken) ?? "");
  const known = datasetId === resultsDataset ? tableId : first;
  const job =
    known === undefined
      ? await addTableJob(context, datasetId, tableId, sent.selectedFields)
      : jobs.find(tokenId, known);
  const { rows, pageToken } = await readPage(caller, jobs, job, page);
  return { kind: "bigquery#tableDataList", ...writeRows(job, rows, pageToken) };
}

/** The newest rows come first where the table has times: only then they go on behind what one page may have. */
async function addTableJob(
  context: BigQueryContext,
  datasetId: string,
  tableId: string,
  selected: unknown,
): Promise<Job> {
  const request = readTableRequest(datasetId, tableId, selected);
  const columns = await describeColumns(context, datasetId, tableId);
  const hasTime = columns.some(({ name, type }) => name === "timestamp" && type.kind === "TIMESTAMP");
  return addJob(context, hasTime ? { ...request, text: `${request.text} ORDER BY timestamp DESC` } : request);
}

/** The query of a table's rows. */
function readTableRequest(datasetId: string, tableId: string, selected?: unknown): QueryRequest {
  const names = typeof selected === "string" && selected !== "" ? selected.split(",") : [];
  for (const name of [tableId, ...names]) {
    if (!/[`\\.\n\r]/.test(name)) continue;
    const parameter = name === tableId ? "table" : "selectedFields";
    throw invalidParameter(parameter, "A table, or a field of selectedFields, must be a plain name");
  }
  const columns = names.length === 0 ? "*" : names.map((name) => `\`${name}\``).join(", ");
  const text = `SELECT ${columns} FROM \`${tableId}\``;
  return {
    ...{ text, defaultDataset: datasetId, parameters: [] },
    ...{ isDryRun: false, usesCache: true, jobId: undefined },
  };
}

/** `jobs.query` */
export async function startQuery(context: BigQueryContext, body: Fields): Promise<object> {
  const request = readQueryRequest(body);
  const page = readPageRequest(body);
  const kind = "bigquery#queryResponse";
  if (request.isDryRun) {
    const { columns } = await place(context, request);
    return { kind, schema: toSchema(columns), totalBytesProcessed: "0", jobComplete: true, cacheHit: false };
  }
  const job = await addJob(context, request);
  return { ...(await answerResults(context, job, page)), kind };
}

/** `jobs.insert`: the query is checked now, and runs in the first request that asks for its outcome. */
export async function insertJob(context: BigQueryContext, body: Fields): Promise<object> {
  const request = readJobRequest(body);
  if (!request.isDryRun) return describeJob(await addJob(context, request));
  const { jobs, project } = context;
  const { text, usesCache, jobId: id = "" } = request;
  const now = jobs.nowMs();
  const tried = newJob({ ...(await place(context, request)), id, project, text, usesCache }, now);
  return describeJob({ ...tried, endedAtMs: now });
}

/** `jobs.list`, newest first. */
export function listJobs({ caller, jobs }: BigQueryContext, sent: Fields): object {
  const asked = sent.stateFilter === undefined ? undefined : String(sent.stateFilter).toUpperCase();
  const all = jobs.list(caller.identity.tokenId).filter((job) => asked === undefined || stateOf(job) === asked);
  const { items, next } = readListPage(all, sent);
  const described = items.map((job) => ({
    ...describeJob({ ...job, error: withoutValues(job) }),
    state: stateOf(job),
  }));
  return { kind: "bigquery#jobList", jobs: described, ...next };
}

/** Errors may quote values, which the token may no longer see. */
function withoutValues({ error }: Job): Job["error"] {
  if (error === undefined || isCancelled(error)) return error;
  return new ServiceError(error.code, "The query failed: the job itself says how");
}

/** `jobs.get`: answers once the query has run. */
export async function answerJob({ caller, jobs }: BigQueryContext, id: string): Promise<object> {
  const job = jobs.find(caller.identity.tokenId, id);
  await finishJob(caller, jobs, job);
  return describeJob(job);
}

/** `jobs.cancel` */
export async function stopJob({ caller, jobs }: BigQueryContext, id: string): Promise<object> {
  const job = jobs.find(caller.identity.tokenId, id);
  if (job.endedAtMs === undefined) cancelJob(job, jobs.nowMs());
  else await finishJob(caller, jobs, job);
  return { kind: "bigquery#jobCancelResponse", job: describeJob(job) };
}

/** `jobs.getQueryResults` */
export async function readResults(context: BigQueryContext, id: string, sent: Fields): Promise<object> {
  const { caller, jobs } = context;
  const answer = await answerResults(context, jobs.find(caller.identity.tokenId, id), readPageRequest(sent));
  return { ...answer, kind: "bigquery#getQueryResultsResponse" };
}

async function answerResults(
  { caller, jobs }: BigQueryContext,
  job: Job,
  page: ReturnType<typeof readPageRequest>,
): Promise<object> {
  const { rows, pageToken } = await readPage(caller, jobs, job, page);
  return {
    jobReference: referJob(job),
    schema: toSchema(job.columns),
    ...writeRows(job, rows, pageToken),
    jobComplete: true,
    totalBytesProcessed: "0",
    cacheHit: job.isCacheHit,
  };
}

/** Without rows there is no list, as in BigQuery: the Python client takes an empty one for the whole result. */
function writeRows({ totalRows }: Job, rows: readonly object[], pageToken: string | undefined): object {
  return {
    totalRows: totalRows?.toString(),
    pageToken,
    rows: rows.length === 0 ? undefined : rows,
  };
}

interface CheckedQuery {
  readonly query: RunnableQuery;
  readonly columns: readonly OutputColumn[];
}

/** Checks a query without running it. Throws `ServiceError` with the place in the client's text. */
async function place(context: BigQueryContext, request: QueryRequest): Promise<CheckedQuery> {
  const { caller } = context;
  const placed: PlacedQuery = placeQuery(request, listDatasets(caller.endpoints, caller.identity));
  const parameters = chooseParameters(context, placed.dataset.endpoint, request.parameters);
  const query = { placed, parameters };
  const call = await openQuery(caller, query, false);
  return { query, columns: await describeQuery(caller, query, call) };
}

async function addJob(context: BigQueryContext, request: QueryRequest): Promise<Job> {
  const { caller, jobs, project } = context;
  const { text, usesCache, jobId: id } = request;
  return jobs.add(caller.identity.tokenId, { ...(await place(context, request)), id, project, text, usesCache });
}

/**
 * The values of an endpoint's parameters: the query's of the same names; and for a required tenant that neither the
 * query nor the token's pins choose, the project of the address.
 */
function chooseParameters(
  { caller, project }: BigQueryContext,
  endpoint: Dataset["endpoint"],
  sent: readonly QueryParameter[],
): ReadonlyMap<string, unknown> {
  const chosen = new Map<string, unknown>();
  const { pins } = caller.identity;
  const tenants = tenantParametersOf(caller, endpoint);
  for (const { name, isRequired } of endpoint.contract.parameters) {
    const given = sent.find((each) => each.name?.toLowerCase() === name.toLowerCase());
    const isAsked = (isRequired || pinOf(pins, name) !== undefined) && !isSet(pins, name);
    const isTenant = isAsked && tenants.includes(name.toLowerCase());
    if (given !== undefined) chosen.set(name, toPlainValue(given));
    else if (isTenant) chosen.set(name, project);
  }
  return chosen;
}

/** None where the endpoint does not work any more: its call says so. */
function tenantParametersOf({ runner }: BigQueryCaller, endpoint: Dataset["endpoint"]): readonly string[] {
  try {
    return runner.planner.tenantParameters(endpoint).map((name) => name.toLowerCase());
  } catch (error) {
    if (error instanceof GoogleSqlError) return [];
    throw error;
  }
}
