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

/** Prints which engine of a running service runs what of a query, without running it. */
export async function explain(options: CommandOptions, context: CliContext): Promise<void> {
  const sql = queryOf(options);
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ sql }) };
  const { result } = await readAnswer<Report>("/api/query/parse", options, context, init);
  const parts = result.explain;
  if (options.json === true) {
    printJson(context.output, parts);
    return;
  }
  for (const part of parts) print(context.output, describePart(part));
}

function queryOf({ sql, endpoint }: CommandOptions): string {
  if (typeof sql === "string" && endpoint === undefined) return sql;
  if (typeof endpoint === "string" && sql === undefined) return `SELECT * FROM \`${endpoint.replaceAll("`", "\\`")}\``;
  throw new CliError("This needs --sql or --endpoint, one of them", usageExitCode);
}

function describePart({ runs_on: engine, sql, reason, line, column }: ExplainedPart): string {
  const place = line === undefined ? "" : ` (line ${line}, column ${column})`;
  const why = reason === undefined ? "" : `, because of ${reason}${place}`;
  return `${engine}${why}${sql === undefined ? "" : `:\n  ${sql}`}`;
}
