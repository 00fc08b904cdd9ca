import { CliError, type CommandContext, countOf, print } from "../context.ts";
import { rawStream } from "../output/safe-output.ts";
import { printTable } from "../output/table.ts";
import { askService, createServiceClient } from "../service-call.ts";

interface QueryOptions {
  readonly param: readonly string[];
  readonly sql?: string;
  readonly lql?: string;
  readonly limit?: string;
  readonly redact?: boolean;
  readonly csv?: boolean;
}

type Row = Readonly<Record<string, unknown>>;

/**
 * Runs an endpoint of a running service and prints its rows: as a table, as CSV, or with `--json` as the service
 * answered.
 */
export async function query(context: CommandContext, name: string, options: QueryOptions): Promise<void> {
  if (context.json === true && options.csv === true) throw new CliError("--json or --csv, not both", 64);
  const path = `/api/endpoints/query/${encodeURIComponent(name)}`;
  const headers = {
    "content-type": "application/json",
    accept: options.csv === true ? "text/csv" : "application/json",
    ...(options.redact === true ? { "lf-endpoint-redact-pii": "true" } : {}),
  };
  const request = { method: "POST", headers, body: JSON.stringify(toParameters(options)) };
  const body = await (await askService(createServiceClient(context), path, request)).text();
  if (context.json === true) {
    print(context.output, body);
    return;
  }
  if (options.csv === true) {
    // A file gets every byte; a terminal gets control characters escaped.
    (context.output.isTTY === true ? context.output : rawStream(context.output)).write(body);
    return;
  }
  const { result } = JSON.parse(body) as { readonly result: readonly Row[] };
  const header = Object.keys(result[0] ?? {});
  const rows = result.map((row) => header.map((key) => toCell(row[key])));
  if (header.length > 0) printTable(header, rows, context);
  print(context.errors, countOf(result.length, "row"));
}

function toParameters({ param, sql, lql, limit }: QueryOptions): object {
  const entries = param.map((text): readonly [string, string] => {
    const equals = text.indexOf("=");
    if (equals < 1) throw new CliError(`--param ${text}: a parameter is written name=value`);
    return [text.slice(0, equals), text.slice(equals + 1)];
  });
  const own = { sql, lql, limit };
  return {
    ...Object.fromEntries(entries),
    ...Object.fromEntries(Object.entries(own).filter(([, text]) => text !== undefined)),
  };
}

function toCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
