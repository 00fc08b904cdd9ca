import { CliError, type CommandContext, print, printAnswer, usageExitCode } from "../context.ts";
import { readAnswer } from "../service-call.ts";

interface ExplainedPart {
  readonly runs_on: string;
  readonly sql?: string;
  readonly reason?: string;
  readonly line?: number;
  readonly column?: number;
}

interface ExplainOptions {
  readonly sql?: string;
  readonly endpoint?: string;
  readonly parameters?: string;
}

interface Report {
  readonly result: { readonly explain: readonly ExplainedPart[] };
}

/** Prints which engine of a running service runs what of a query or an endpoint, without running it. */
export async function explain(
  context: CommandContext,
  name: string | undefined,
  options: ExplainOptions,
): Promise<void> {
  const body = { sql: queryOf(name, options), parameters: readParameters(options) };
  const { result } = await readAnswer<Report>(context, "/api/query/parse", { body });
  printAnswer(context, result.explain, () => {
    for (const part of result.explain) print(context.output, describePart(part));
  });
}

function queryOf(name: string | undefined, { sql, endpoint = name }: ExplainOptions): string {
  const isTwice = name !== undefined && endpoint !== name;
  if (sql !== undefined && endpoint === undefined) return sql;
  if (endpoint !== undefined && sql === undefined && !isTwice) {
    return `SELECT * FROM \`${endpoint.replaceAll("`", "\\`")}\``;
  }
  throw new CliError("This needs the name of an endpoint or --sql, one of them", usageExitCode);
}

/** By name; none unless given. */
function readParameters({ parameters = "{}" }: ExplainOptions): object {
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
