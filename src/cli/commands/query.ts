import { type CliContext, CliError, print } from "../context.ts";
import { rawStream } from "../output/safe-output.ts";
import { printTable } from "../output/table.ts";
import { createServiceClient, describeAnswer, type ServiceOptions } from "../service-call.ts";

export interface QueryOptions extends ServiceOptions {
  readonly param: readonly string[];
  readonly sql?: string;
  readonly lql?: string;
  readonly limit?: string;
  readonly redact?: boolean;
  readonly json?: boolean;
  readonly csv?: boolean;
}

type Row = Readonly<Record<string, unknown>>;

/**
 * Runs an endpoint of a running service and prints its rows: as a table, as CSV, or with `--json` as the service
 * answered.
 */
export async function query(name: string, options: QueryOptions, context: CliContext): Promise<void> {
  if (options.json === true && options.csv === true) throw new CliError("--json or --csv, not both", 64);
  const response = await createServiceClient(options, context).send(
    `/api/endpoints/query/${encodeURIComponent(name)}`,
    {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: options.csv === true ? "text/csv" : "application/json",
        ...(options.redact === true ? { "lf-endpoint-redact-pii": "true" } : {}),
      },
      body: JSON.stringify(toParameters(options)),
    },
  );
  if (!response.ok) throw new CliError(await describeAnswer(response));
  const body = await response.text();
  if (options.json === true) {
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
  if (header.length > 0)
    printTable(
      header,
      result.map((row) => header.map((key) => toCell(row[key]))),
      context,
    );
  print(context.errors, `${result.length} ${result.length === 1 ? "row" : "rows"}`);
}

function toParameters({ param, sql, lql, limit }: QueryOptions): Readonly<Record<string, string>> {
  const entries = param.map((text): readonly [string, string] => {
    const equals = text.indexOf("=");
    if (equals < 1) throw new CliError(`--param ${text}: a parameter is written name=value`);
    return [text.slice(0, equals), text.slice(equals + 1)];
  });
  return {
    ...Object.fromEntries(entries),
    ...(sql === undefined ? {} : { sql }),
    ...(lql === undefined ? {} : { lql }),
    ...(limit === undefined ? {} : { limit }),
  };
}

function toCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  // Line breaks would break the table's layout.
  return (typeof value === "string" ? value : JSON.stringify(value)).replaceAll(/[\r\n\t]+/g, " ");
}
