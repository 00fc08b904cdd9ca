import { invalidParameter, ServiceError } from "../shared/errors.ts";
import type { AskedPage } from "./job-results.ts";
import type { QueryParameter } from "./parameter-literal.ts";
import type { SentQuery } from "./place-query.ts";
import type { TimestampFormat } from "./row-format.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** A request for a query, from either of the forms that BigQuery has for it. */
export interface QueryRequest extends SentQuery {
  readonly isDryRun: boolean;
  readonly usesCache: boolean;
  /** As the client names the job. */
  readonly jobId: string | undefined;
}

/** Parts of a query that would write, or read what is not ours, by their names in BigQuery's API. */
const refusedOptions = [
  "destinationTable",
  "tableDefinitions",
  "userDefinedFunctionResources",
  "createSession",
  "scriptOptions",
  "continuous",
] as const;

/** The body of `jobs.query`. Throws `unsupported`, `missing_parameter` and `invalid_parameter`. */
export function readQueryRequest(body: Fields): QueryRequest {
  return readQuery(body, body.dryRun === true, undefined);
}

/** The body of `jobs.insert`. Throws the same. */
export function readJobRequest(body: Fields): QueryRequest {
  const { query, dryRun, ...others } = fieldsOf(body.configuration);
  const { jobId } = fieldsOf(body.jobReference);
  for (const kind of ["load", "extract", "copy"]) {
    if (others[kind] !== undefined) throw unsupported(`configuration.${kind}`, `Jobs of the kind ${kind} are not run`);
  }
  return readQuery(fieldsOf(query), dryRun === true, readJobId(jobId));
}

function readJobId(sent: unknown): string | undefined {
  if (sent === undefined || sent === null) return undefined;
  if (typeof sent === "string" && /^[\w-]{1,1024}$/.test(sent)) return sent;
  throw invalid("jobReference.jobId", "must be a text of up to 1,024 letters, digits, - and _");
}

function readQuery(body: Fields, isDryRun: boolean, jobId: string | undefined): QueryRequest {
  for (const option of refusedOptions) {
    const value = body[option];
    const isEmpty = value === undefined || value === null || value === false;
    if (!isEmpty && Object.keys(Object(value)).length + Number(value === true) > 0) {
      throw unsupported(option, `${option} is not supported: queries are read, and nothing is written`);
    }
  }
  if (body.useLegacySql === true) throw unsupported("useLegacySql", "Legacy SQL is not supported; use GoogleSQL");
  const { query: text, queryParameters = [] } = body;
  if (typeof text !== "string" || text.trim() === "") {
    throw new ServiceError("missing_parameter", "A query is required", { parameter: "query" });
  }
  const isList = Array.isArray(queryParameters) && queryParameters.every((each) => typeof Object(each) === typeof each);
  if (!isList || (queryParameters as unknown[]).includes(null)) throw invalid("queryParameters", "must be a list");
  const parameters = (queryParameters as readonly Fields[]).map(({ name, ...each }): QueryParameter => {
    if (name === undefined || name === null) return each;
    if (typeof name !== "string") throw invalid("queryParameters", "must have names that are texts");
    return { ...each, name };
  });
  const { datasetId } = fieldsOf(body.defaultDataset);
  return {
    text,
    defaultDataset: typeof datasetId === "string" && datasetId !== "" ? datasetId : undefined,
    parameters,
    isDryRun,
    usesCache: body.useQueryCache !== false,
    jobId,
  };
}

/** The page and the form of timestamps, from a body or from the parameters of an address. */
export function readPageRequest(sent: Fields): AskedPage {
  const { pageToken } = sent;
  const options = fieldsOf(sent.formatOptions);
  const format = options.timestampOutputFormat ?? sent["formatOptions.timestampOutputFormat"];
  // The Python client writes it as True.
  const isInt64 = /^true$/i.test(String(options.useInt64Timestamp ?? sent["formatOptions.useInt64Timestamp"]));
  const known = (["INT64", "FLOAT64", "ISO8601_STRING"] as const).find((each) => each === format);
  const timestamps: TimestampFormat = known ?? (isInt64 ? "INT64" : "FLOAT64");
  return {
    pageToken: typeof pageToken === "string" && pageToken !== "" ? pageToken : undefined,
    startIndex: readCount("startIndex", sent.startIndex) ?? 0,
    maxResults: readCount("maxResults", sent.maxResults),
    timestamps,
  };
}

/** A number of a request; undefined where it has none. Throws `invalid_parameter` for anything else. */
function readCount(name: string, sent: unknown): number | undefined {
  if (sent === undefined || sent === null || sent === "") return undefined;
  const value = typeof sent === "object" ? fieldsOf(sent).value : sent;
  if ((typeof value === "string" || typeof value === "number") && /^\d{1,15}$/.test(`${value}`)) return Number(value);
  throw invalid(name, "must be an integer of 0 or more");
}

/** The fields of an object; none for any other value. */
function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function unsupported(parameter: string, message: string): ServiceError {
  return new ServiceError("unsupported", message, { parameter });
}

function invalid(parameter: string, problem: string): ServiceError {
  return invalidParameter(parameter, `${parameter} ${problem}`);
}

/** A page of a list, and the token of the next, which is the place where it begins. */
export interface ListPage<T> {
  readonly items: readonly T[];
  readonly next: { readonly nextPageToken?: string };
}

/** The page that `maxResults` and `pageToken` ask for. Throws `invalid_parameter` where one of them is no number. */
export function readListPage<T>(all: readonly T[], sent: Fields): ListPage<T> {
  const start = readCount("pageToken", sent.pageToken) ?? 0;
  const end = start + (readCount("maxResults", sent.maxResults) || all.length);
  return { items: all.slice(start, end), next: end < all.length ? { nextPageToken: String(end) } : {} };
}
