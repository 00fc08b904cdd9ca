import type { CommandOptions } from "../command-definition.ts";
import { type CliContext, CliError, print, printJson, usageExitCode } from "../context.ts";
import { readAnswer } from "../service-call.ts";

interface ExplainedPart {
  readonly runs_on: string;
  readonly sql?: string;
  readonly reason?: string;
  readonly line?: number;
  readonly column?: number;
}

interface Report {
  readonly result: { readonly explain: readonly ExplainedPart[] };
}

/** Prints which engine of a running service runs what of a query or an endpoint, without running it. */
export async function explain(name: string | undefined, options: CommandOptions, context: CliContext): Promise<void> {
  const body = JSON.stringify({ sql: queryOf(name, options), parameters: readParameters(options) });
  const init = { method: "POST", headers: { "content-type": "application/json" }, body };
  const { result } = await readAnswer<Report>("/api/query/parse", options, context, init);
  const parts = result.explain;
  if (options.json === true) {
    printJson(context.output, parts);
    return;
  }
  for (const part of parts) print(context.output, describePart(part));
}

function queryOf(name: string | undefined, { sql, endpoint = name }: CommandOptions): string {
  const isTwice = name !== undefined && endpoint !== name;
  if (typeof sql === "string" && endpoint === undefined) return sql;
  if (typeof endpoint === "string" && sql === undefined && !isTwice) {
    return `SELECT * FROM \`${endpoint.replaceAll("`", "\\`")}\``;
  }
  throw new CliError("This needs the name of an endpoint or --sql, one of them", usageExitCode);
}

/** By name; none unless given. */
function readParameters({ parameters = "{}" }: CommandOptions): object {
  try {
    const values: unknown = JSON.parse(parameters);
    if (typeof values === "object" && values !== null && !Array.isArray(values)) return values;
  } catch {
    // The message is the same.
  }
  throw new CliError(`--parameters ${parameters}: write an object in JSON, as {"project": "shop"}`, usageExitCode);
}

function describePart({ runs_on: engine, sql, reason, line, column }: ExplainedPart): string {
  const place = line === undefined ? "" : ` (line ${line}, column ${column})`;
  const why = reason === undefined ? "" : `, because of ${reason}${place}`;
  return `${engine}${why}${sql === undefined ? "" : `:\n  ${sql}`}`;
}
