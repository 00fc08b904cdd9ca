import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { toBigQueryError } from "../../../bigquery/error-body.ts";
import { createJobStore } from "../../../bigquery/job-store.ts";
import {
  answerDataset,
  answerDatasets,
  answerJob,
  answerTable,
  answerTables,
  type BigQueryContext,
  insertJob,
  listJobs,
  listProjects,
  listRows,
  readResults,
  startQuery,
  stopJob,
} from "../../../bigquery/serve-bigquery.ts";
import { runErrors } from "../../../openapi/error-responses.ts";
import { anyRow } from "../../../openapi/forms.ts";
import { describeRoutes, type RouteDescription } from "../../../openapi/route-description.ts";
import type { ServiceError } from "../../../shared/errors.ts";
import type { AppContext } from "../../app-context.ts";
import { answerErrors, type ErrorForm } from "../../plugins/errors.ts";
import { createRouteAdder, type RequestOf } from "../../request/add-route.ts";
import { readJsonBody } from "../../request/json-body.ts";
import { lastText, urlParameters } from "../../request/request-parameters.ts";
import { createSurfaceCaller } from "./surface-caller.ts";

const common = { tag: "service", scope: "query", answer: anyRow } as const;
const read = { ...common, errors: runErrors } as const;
const bodyErrors = [...runErrors, "invalid_body", "unsupported_media_type", "body_too_large"] as const;
const write = { ...common, method: "post", body: anyRow, hasBodyParameters: true, errors: bodyErrors } as const;
const root = "/bigquery/v2/projects";

export const bigQueryRoutes = describeRoutes({
  listBigQueryProjects: { ...read, path: root, summary: "BigQuery: the project of the token" },
  listBigQueryDatasets: {
    ...read,
    path: `${root}/{project}/datasets`,
    summary: "BigQuery: the endpoints that take queries, as datasets",
  },
  getBigQueryDataset: {
    ...read,
    path: `${root}/{project}/datasets/{dataset}`,
    summary: "BigQuery: an endpoint as a dataset",
  },
  listBigQueryTables: {
    ...read,
    path: `${root}/{project}/datasets/{dataset}/tables`,
    summary: "BigQuery: the tables of an endpoint",
  },
  getBigQueryTable: {
    ...read,
    path: `${root}/{project}/datasets/{dataset}/tables/{table}`,
    summary: "BigQuery: a table with its schema",
  },
  listBigQueryRows: {
    ...read,
    path: `${root}/{project}/datasets/{dataset}/tables/{table}/data`,
    summary: "BigQuery: the rows of a table, in pages",
  },
  runBigQueryQuery: { ...write, path: `${root}/{project}/queries`, summary: "BigQuery: run a query" },
  readBigQueryResults: {
    ...read,
    path: `${root}/{project}/queries/{job}`,
    summary: "BigQuery: the rows of a job, in pages",
  },
  insertBigQueryJob: { ...write, path: `${root}/{project}/jobs`, summary: "BigQuery: start a query as a job" },
  listBigQueryJobs: { ...read, path: `${root}/{project}/jobs`, summary: "BigQuery: the jobs of the token" },
  getBigQueryJob: { ...read, path: `${root}/{project}/jobs/{job}`, summary: "BigQuery: a job, once it has run" },
  cancelBigQueryJob: {
    ...common,
    method: "post",
    path: `${root}/{project}/jobs/{job}/cancel`,
    summary: "BigQuery: cancel a job",
    errors: runErrors,
  },
});

/**
 * BigQuery's REST API over the endpoints. The app holds its jobs. Errors have BigQuery's form, those of
 * authentication too.
 */
export function addBigQueryRoutes(app: FastifyInstance, dependencies: AppContext): void {
  app.register(async (scope) => {
    scope.setErrorHandler(answerErrors(writeError));
    addAnswers(scope, dependencies);
  });
}

type Answer<Description extends RouteDescription> = (
  context: BigQueryContext,
  request: RequestOf<Description>,
) => object | Promise<object>;

function addAnswers(scope: FastifyInstance, dependencies: AppContext): void {
  const addRoute = createRouteAdder(scope);
  const jobs = createJobStore(dependencies.nowMs);
  const add = <const Description extends RouteDescription>(
    description: Description,
    answer: Answer<NoInfer<Description>>,
  ) =>
    addRoute(description as RouteDescription, async (request, reply) => {
      const { project = "" } = request.params as { readonly project?: string };
      const context = { caller: createSurfaceCaller(dependencies, request, reply, "bigquery"), project, jobs };
      return reply.send(await answer(context, request as RequestOf<Description>));
    });
  add(bigQueryRoutes.listBigQueryProjects, ({ caller }) => listProjects(caller));
  add(bigQueryRoutes.listBigQueryDatasets, (context, request) => answerDatasets(context, fieldsOfUrl(request)));
  add(bigQueryRoutes.getBigQueryDataset, (context, { params }) => answerDataset(context, params.dataset));
  add(bigQueryRoutes.listBigQueryTables, (context, request) =>
    answerTables(context, request.params.dataset, fieldsOfUrl(request)),
  );
  add(bigQueryRoutes.getBigQueryTable, (context, { params }) => answerTable(context, params.dataset, params.table));
  add(bigQueryRoutes.listBigQueryRows, (context, request) =>
    listRows(context, request.params.dataset, request.params.table, fieldsOfUrl(request)),
  );
  add(bigQueryRoutes.runBigQueryQuery, async (context, request) => startQuery(context, await readJsonBody(request)));
  add(bigQueryRoutes.readBigQueryResults, (context, request) =>
    readResults(context, request.params.job, fieldsOfUrl(request)),
  );
  add(bigQueryRoutes.insertBigQueryJob, async (context, request) => insertJob(context, await readJsonBody(request)));
  add(bigQueryRoutes.listBigQueryJobs, (context, request) => listJobs(context, fieldsOfUrl(request)));
  add(bigQueryRoutes.getBigQueryJob, (context, { params }) => answerJob(context, params.job));
  add(bigQueryRoutes.cancelBigQueryJob, (context, { params }) => stopJob(context, params.job));
}

function fieldsOfUrl(request: FastifyRequest): Readonly<Record<string, unknown>> {
  return Object.fromEntries([...urlParameters(request)].map(([name, values]) => [name, lastText(values)]));
}

/** Errors of addresses that BigQuery's API has and this one does not: what would write, load or export. */
export const bigQueryErrors: ErrorForm = { below: ["/bigquery/v2/", "/upload/bigquery/v2/"], write: writeError };

function writeError(error: ServiceError, reply: FastifyReply): FastifyReply {
  const { status, body } = toBigQueryError(error);
  return reply.status(status).send(body);
}
