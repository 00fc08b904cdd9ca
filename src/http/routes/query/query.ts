import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Identity } from "../../../access/scope.ts";
import { readsOf, shownColumns } from "../../../endpoints/call/plan/planned-query.ts";
import {
  inspectOwnerQuery,
  type OwnerDependencies,
  type OwnerQuery,
  prepareOwnerQuery,
} from "../../../endpoints/call/prepare/owner-query.ts";
import { runPrepared } from "../../../endpoints/call/run/run-prepared.ts";
import { languageErrors } from "../../../openapi/error-responses.ts";
import { AnyRow, anyRow, listOf, orNull, prefer, reference, text, texts } from "../../../openapi/forms.ts";
import { describeRoutes } from "../../../openapi/route-description.ts";
import { tightest } from "../../../shared/budget.ts";
import type { ErrorCode } from "../../../shared/error-catalogue.ts";
import { invalidParameter, ServiceError, toErrorBody } from "../../../shared/errors.ts";
import { answerBy } from "../../answer/answer-by.ts";
import { addDataThrough } from "../../answer/answer-headers.ts";
import { chooseEncoding } from "../../answer/content-encoding.ts";
import { sendRows } from "../../answer/stream-answer.ts";
import type { AppContext, AppDependencies } from "../../app-context.ts";
import { chooseFormat } from "../../formats/choose-format.ts";
import { answerFormats } from "../../formats/index.ts";
import { createRouteAdder } from "../../request/add-route.ts";
import { createCallSignal } from "../../request/call-signal.ts";
import { sinceRevision } from "../../request/call-watch.ts";
import { readWait } from "../../request/read-wait.ts";
import { readParameters, type SentParameters } from "../../request/request-parameters.ts";
import { callerOf } from "../../request/route-access.ts";
import { describeView } from "../../tail/tail-guard.ts";

/** The reference's names of `sql`, and languages that only the reference supports. */
const sqlNames = ["sql", "bq_sql"];
const foreignNames = ["pg_sql", "ch_sql"];
const otherNames: ReadonlySet<string> = new Set([...sqlNames, "lql", "parameters", "format", "api_key", "backend_id"]);

const QueryRequest = Type.Object({
  sql: Type.Optional(text),
  lql: Type.Optional(text),
  parameters: Type.Optional(AnyRow),
});
const QueryAnswer = Type.Object({ result: Type.Array(anyRow) });
const QueryReport = Type.Object({
  result: Type.Object({
    parameters: Type.Array(anyRow),
    columns: listOf({ name: text, type: text }),
    tables: texts,
    endpoints: texts,
    diagnostics: Type.Array(anyRow),
    warnings: Type.Array(anyRow),
    compiled_sql: orNull(text),
    explain: Type.Array(anyRow),
  }),
});

export const querySchemas = { QueryRequest, QueryAnswer, QueryReport };
/** Rows of a query. */
export const queryAnswer = reference("QueryAnswer", QueryAnswer);

const asking: readonly ErrorCode[] = [
  "invalid_body",
  "missing_parameter",
  "invalid_parameter",
  ...languageErrors,
  "unknown_table",
];
const ofQueries = {
  tag: "endpoint management",
  scope: "private",
  method: "post",
  alsoBy: ["get"],
  body: reference("QueryRequest", QueryRequest),
  hasBodyParameters: true,
} as const;

export const queryRoutes = describeRoutes({
  runQuery: {
    ...ofQueries,
    path: "/api/query",
    summary: "Run a query over sources and endpoints",
    parameters: [prefer],
    answer: queryAnswer,
    errors: [...asking, "query_failed", "timeout"],
  },
  parseQuery: {
    ...ofQueries,
    isRedacted: true,
    path: "/api/query/parse",
    summary: "Describe the parameters, columns, tables and problems of a query",
    answer: reference("QueryReport", QueryReport),
    errors: asking,
  },
});

/**
 * `GET` and `POST /api/query`: runs a query of an owner's over sources and endpoints. `/api/query/parse`: reports what
 * is known of it without running it (scope `private`).
 */
export function addQueryRoutes(app: FastifyInstance, dependencies: AppContext): void {
  const addRoute = createRouteAdder(app);
  addRoute(
    queryRoutes.runQuery,
    answerBy((request, reply) => runOwnerQuery(dependencies, request, reply)),
  );
  addRoute(queryRoutes.parseQuery, async (request, reply) => {
    const sent = await readParameters(request, dependencies.maxBodyBytes);
    const asked = readQuery(sent);
    const compiling = compileWith(dependencies, callerOf(request));
    const { report, error } = await inspectOwnerQuery(asked, readValues(sent), compiling);
    if (error === undefined) return { result: report };
    request.logNotes.error = error.code;
    return reply.status(400).send({ ...toErrorBody(error), result: report });
  });
}

async function runOwnerQuery(dependencies: AppContext, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { runner, rates, shutdown, dataThrough, maxBodyBytes } = dependencies;
  const owner = callerOf(request);
  const { tokenId } = owner;
  const sent = await readParameters(request, maxBodyBytes);
  rates.take(tokenId);

  const asked = readQuery(sent);
  const format = chooseFormat(answerFormats, sent.get("format")?.at(-1), request.headers.accept);
  const parameters = readValues(sent);
  const redactsPii = /(?:^|,)\s*true\s*(?:,|$)/i.test(String(request.headers["lf-endpoint-redact-pii"] ?? ""));
  const noted = new Map<string, unknown>([...parameters, [asked.language, asked.text]]);
  request.auditRun = { action: "query.run", actor: tokenId, parameters: noted, redactsPii };
  const openedAt = dependencies.revision();
  const prepare = () => prepareOwnerQuery(asked, parameters, redactsPii, compileWith(dependencies, owner));
  const prepared = prepare();
  const isSame = () => describeView([prepare()]) === describeView([prepared]);
  request.reads = new Map([["query", sinceRevision(openedAt, dependencies.revision, isSame)]]);

  const signal = createCallSignal(reply, shutdown, readWait(request, reply));
  const dataThroughUs = await dataThrough.of(readsOf(prepared.query));
  const rows = runPrepared(runner, prepared, signal, {
    caller: tokenId,
    onRows: (count) => {
      if (request.auditRun !== undefined) request.auditRun.rows = count;
    },
  });
  await sendRows(reply, rows, format.open(shownColumns(prepared.query)), {
    pageRows: undefined,
    encoding: format.isCompressed === true ? undefined : chooseEncoding(request.headers["accept-encoding"]),
    onHeaders() {
      reply.header("Content-Type", format.mediaType + format.typeParameters);
      addDataThrough(reply, dataThroughUs);
    },
    linkOf: () => undefined,
    encode: (work) => work(),
  });
}

function compileWith(
  { runner, sources, endpoints, nowMs }: AppDependencies,
  { budget }: Pick<Identity, "budget">,
): OwnerDependencies {
  const { engine } = runner;
  return { engine, tables: sources, endpoints, nowMs: nowMs(), budget: tightest(runner.budget ?? {}, budget) };
}

function readQuery(sent: SentParameters): OwnerQuery {
  const foreign = foreignNames.find((name) => sent.has(name));
  if (foreign !== undefined) throw invalidParameter(foreign, "Queries are GoogleSQL here: send sql");
  const sql = sqlNames.map((name) => textOf(sent, name)).find((text) => text !== undefined);
  const lql = textOf(sent, "lql");
  if (sql !== undefined && lql !== undefined) {
    throw new ServiceError("sql_and_lql", "A call has sql or lql, not both", { parameter: "lql" });
  }
  if (sql !== undefined) return { language: "sql", text: sql };
  if (lql !== undefined) return { language: "lql", text: lql };
  const hint = "The parameters with a query are sql (or bq_sql) and lql.";
  throw new ServiceError("missing_parameter", "There is no query: the parameter sql is required", {
    parameter: "sql",
    hint,
  });
}

function textOf(sent: SentParameters, name: string): string | undefined {
  const value = sent.get(name)?.at(-1);
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw invalidParameter(name, `The parameter ${name} must be text`);
  return value.trim() === "" ? undefined : value;
}

/** The values of the query's own parameters: in `parameters`, or beside the query. */
function readValues(sent: SentParameters): ReadonlyMap<string, unknown> {
  const values = new Map<string, unknown>();
  for (const [name, all] of sent) if (!otherNames.has(name)) values.set(name, all.at(-1));
  const given = sent.get("parameters")?.at(-1);
  if (given === undefined || given === null || given === "") return values;
  const object = typeof given === "string" ? parseObject(given) : given;
  if (typeof object !== "object" || object === null || Array.isArray(object)) {
    throw invalidParameter("parameters", "parameters must be an object of names and values");
  }
  for (const [name, value] of Object.entries(object)) values.set(name, value);
  return values;
}

/** In a URL the object is JSON text. */
function parseObject(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
