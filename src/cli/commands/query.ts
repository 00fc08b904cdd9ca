import { readClientDefaults } from "../../config.ts";
import { type CliContext, CliError, print } from "../context.ts";
import { formatTable } from "../table.ts";

export interface QueryOptions {
  readonly param: readonly string[];
  readonly sql?: string;
  readonly lql?: string;
  readonly limit?: string;
  readonly redact?: boolean;
  readonly json?: boolean;
  readonly url?: string;
  readonly token?: string;
}

type Row = Readonly<Record<string, unknown>>;

/** Runs an endpoint of a running service and prints its rows: as a table, or with `--json` as the service answered. */
export async function query(name: string, options: QueryOptions, context: CliContext): Promise<void> {
  const defaults = readClientDefaults(context.environment);
  const url = (options.url ?? defaults.url).replace(/\/+$/, "");
  const token = options.token ?? defaults.token;
  if (token === undefined) throw new CliError("This needs an access token: --token or LOGWEIR_TOKEN");
  const response = await send(`${url}/api/endpoints/query/${encodeURIComponent(name)}`, url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-api-key": token,
      ...(options.redact === true ? { "lf-endpoint-redact-pii": "true" } : {}),
    },
    body: JSON.stringify(toParameters(options)),
  });
  const body = await response.text();
  if (!response.ok) throw new CliError(describeError(body, response.status));
  if (options.json === true) {
    print(context.output, body);
    return;
  }
  const { result } = JSON.parse(body) as { readonly result: readonly Row[] };
  const header = Object.keys(result[0] ?? {});
  if (header.length > 0)
    print(
      context.output,
      formatTable(
        header,
        result.map((row) => header.map((key) => toCell(row[key]))),
      ),
    );
  print(context.errors, `${result.length} ${result.length === 1 ? "row" : "rows"}`);
}

/** Like `fetch`, with a message that helps where no service is there. */
async function send(target: string, url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(target, request);
  } catch {
    throw new CliError(`No service answers at ${url}. Start one with \`logweir serve\`, or name another with --url.`);
  }
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

function describeError(body: string, status: number): string {
  try {
    const { error } = JSON.parse(body) as { readonly error: { readonly message: string; readonly hint?: string } };
    return error.hint === undefined ? error.message : `${error.message}\n${error.hint}`;
  } catch {
    return `The service answered ${status}`;
  }
}

function toCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  // Line breaks would tear the table apart.
  return (typeof value === "string" ? value : JSON.stringify(value)).replaceAll(/[\r\n\t]+/g, " ");
}
