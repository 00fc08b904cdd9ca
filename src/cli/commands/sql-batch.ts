import { readClickHouseServer } from "../../config/config.ts";
import { type CompiledQuery, EngineError, type ParameterValue } from "../../engines/contract/query-engine.ts";
import type { ScratchEngine } from "../../engines/contract/scratch-engine.ts";
import { openScratchEngine, type ScratchServer } from "../../engines/index.ts";
import { GoogleSqlError, positionAt } from "../../googlesql/diagnostic.ts";
import { parseQuery } from "../../googlesql/parse.ts";
import { resolveQuery } from "../../googlesql/resolver/resolve.ts";
import { formatType, type SqlType } from "../../googlesql/types.ts";
import { type CliContext, CliError, usageExitCode } from "../context.ts";
import { queryLines, readLines, writeLine } from "../input/lines.ts";
import { inferParameter } from "../input/parameter-value.ts";
import { LosslessNumber, parseJson } from "../output/json.ts";

export interface SqlBatchOptions {
  /** IANA name of the zone that zone-less conversions use, in `setup` too; UTC by default. */
  readonly timeZone?: string;
  /** Called with every error behind an answer, including its cause. */
  readonly onError?: (error: unknown) => void;
  /** The ClickHouse server to ask; the embedded engine unless given. */
  readonly server?: ScratchServer;
}

interface SqlOptions {
  readonly batch?: boolean;
  readonly timeZone: string;
  readonly engine: string;
}

/** Runs the one query of the command line, or those that come in. */
export async function runSql(context: CliContext, text: string | undefined, options: SqlOptions): Promise<void> {
  const lines = queryLines("query", text, options.batch, context);
  const server = serverOf(options.engine, context.environment);
  await runSqlBatch(lines, context.output, { timeZone: options.timeZone, ...(server && { server }) });
}

/** A request of one line. */
interface SqlRequest {
  readonly query: string;
  readonly params: readonly (readonly [string | number, unknown])[];
  readonly setup: readonly string[];
}

/** The server for `--engine`; undefined for the embedded engine. Throws `CliError`. */
export function serverOf(engine: string, environment: CliContext["environment"]): ScratchServer | undefined {
  if (engine === "duckdb") return undefined;
  if (engine !== "clickhouse") throw new CliError("--engine must be duckdb or clickhouse", usageExitCode);
  const { url, ...access } = readClickHouseServer(environment);
  if (url !== undefined && url !== "") return { ...access, url };
  const example = "such as http://localhost:8123";
  throw new CliError(`--engine clickhouse needs LOGWEIR_CLICKHOUSE_URL, ${example}`, usageExitCode);
}

const QUERY_TIMEOUT_MS = 30_000;
const CREATE_TABLE =
  /^\s*CREATE\s+(?:OR\s+REPLACE\s+)?(?:TEMP(?:ORARY)?\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(?:`([^`]+)`|([\p{L}_][\p{L}\p{N}_.-]*))\s+AS\s+/iu;

/**
 * Reads one JSON object `{"query","params"?,"setup"?}` a line and writes `{"columns","rows"}` or `{"error"}` a line, in
 * order, each as soon as it is known. Each line has an engine without tables to itself.
 */
export async function runSqlBatch(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  options: SqlBatchOptions = {},
): Promise<void> {
  const engine = await openScratchEngine(options.server);
  try {
    for await (const line of readLines(input)) {
      await writeLine(output, await answerLine(engine, line, options));
      await engine.clear();
    }
  } finally {
    await engine.close();
  }
}

async function answerLine(engine: ScratchEngine, line: string, options: SqlBatchOptions): Promise<string> {
  const request = readRequest(line);
  if (request === undefined) {
    const message = 'Expected a JSON object on one line, with the query as text in "query"';
    return JSON.stringify({ error: { code: "invalid_request", message } });
  }
  try {
    for (const statement of request.setup) await runSetup(engine, statement, options);
    return await runQuery(engine, request, options);
  } catch (error) {
    options.onError?.(error);
    return JSON.stringify({ error: describeError(error) });
  }
}

function describeError(error: unknown) {
  if (error instanceof GoogleSqlError) {
    const [{ code, message, span }] = error.diagnostics;
    return { code, message, ...positionAt(error.text, span.start) };
  }
  if (error instanceof EngineError) return { code: error.code, message: error.message };
  if (error instanceof RequestError) return { code: "invalid_request", message: error.message };
  return { code: "internal", message: "The query failed for a reason of ours" };
}

class RequestError extends Error {}

/** A parameter without a value is refused wherever it stands, also where the engine would not read it. */
function compile(
  engine: ScratchEngine,
  text: string,
  { types, values }: Parameters,
  options: SqlBatchOptions,
): CompiledQuery {
  const query = resolveQuery(parseQuery(text), text, {
    tables: engine.tables,
    parameters: types,
    inferParameters: true,
    ...(options.timeZone === undefined ? {} : { timeZone: options.timeZone }),
  });
  const missing = query.parameters.find(({ key }) => !values.has(key));
  if (missing !== undefined) {
    const { key } = missing;
    throw new RequestError(
      `The query's parameter ${typeof key === "number" ? `number ${key}` : `@${key}`} has no value`,
    );
  }
  return engine.compile(query, { ...options, text });
}

/** A request's parameters, by lower-case name or by position; NULLs have a value and no type. */
interface Parameters {
  readonly types: ReadonlyMap<string | number, SqlType>;
  readonly values: ReadonlyMap<string | number, ParameterValue>;
}

const NO_PARAMETERS: Parameters = { types: new Map(), values: new Map() };

async function runSetup(engine: ScratchEngine, statement: string, options: SqlBatchOptions): Promise<void> {
  const match = CREATE_TABLE.exec(statement);
  const name = match?.[1] ?? match?.[2];
  if (match === null || name === undefined)
    throw new RequestError("A statement of setup must be CREATE TABLE name AS query");
  const text = statement.slice(match[0].length);
  await engine.createTable(name, compile(engine, text, NO_PARAMETERS, options));
}

async function runQuery(engine: ScratchEngine, request: SqlRequest, options: SqlBatchOptions): Promise<string> {
  const types = new Map<string | number, SqlType>();
  const values = new Map<string | number, ParameterValue>();
  for (const [key, json] of request.params) {
    const parameter = inferParameter(json);
    if (parameter === undefined)
      throw new RequestError(`The value of parameter ${key} is of no type that a query can read`);
    if (parameter.type.kind !== "UNKNOWN") types.set(key, parameter.type);
    values.set(key, parameter.value);
  }
  const compiled = compile(engine, request.query, { types, values }, options);
  const bound = compiled.parameters.map(({ key }) => values.get(key) ?? null);
  const rows = await engine.run(compiled, bound, QUERY_TIMEOUT_MS);
  const columns = compiled.columns.map(({ name, type }) => ({ name, type: formatType(type) }));
  return `{"columns":${JSON.stringify(columns)},"rows":${rows}}`;
}

function readRequest(line: string): SqlRequest | undefined {
  let value: unknown;
  try {
    value = parseJson(line);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || !("query" in value) || typeof value.query !== "string")
    return undefined;
  const setup = "setup" in value && value.setup !== null ? value.setup : [];
  const isTexts = Array.isArray(setup) && setup.every((statement) => typeof statement === "string");
  const params = readParameters("params" in value ? value.params : undefined);
  if (!isTexts || params === undefined) return undefined;
  return { query: value.query, params, setup };
}

/** An object names parameters, an array gives those of `?` in order. */
function readParameters(params: unknown): readonly (readonly [string | number, unknown])[] | undefined {
  if (params === undefined || params === null) return [];
  if (Array.isArray(params)) return params.map((value, index) => [index + 1, value] as const);
  if (typeof params !== "object" || params instanceof LosslessNumber) return undefined;
  return Object.entries(params).map(([name, value]) => [name.toLowerCase(), value] as const);
}
