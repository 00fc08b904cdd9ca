import type { ServiceCommandOptions } from "../command-definition.ts";
import { type CliContext, print, printJson } from "../context.ts";
import { printTable } from "../output/table.ts";
import { readAnswer } from "../service-call.ts";

/** The fields of an endpoint that the table prints; `--json` prints all. */
interface EndpointAnswer {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly query: string;
  readonly version: number;
  readonly cache_seconds: number;
  readonly sandbox: boolean;
  readonly parameters: Readonly<Record<string, { readonly type: string; readonly required: boolean }>>;
}

/** Lists the endpoints of a running service. */
export async function listEndpoints(options: ServiceCommandOptions, context: CliContext): Promise<void> {
  const endpoints = await readAnswer<readonly EndpointAnswer[]>("/api/endpoints", options, context);
  if (options.json === true) {
    printJson(context.output, endpoints);
    return;
  }
  const rows = endpoints.map((endpoint) => [
    endpoint.name,
    endpoint.id,
    String(endpoint.version),
    Object.keys(endpoint.parameters).join(" "),
    endpoint.description ?? "",
  ]);
  printTable(["NAME", "ID", "VERSION", "PARAMETERS", "DESCRIPTION"], rows, context);
}

/** Shows one endpoint of a running service. */
export async function getEndpoint(name: string, options: ServiceCommandOptions, context: CliContext): Promise<void> {
  const endpoint = await readAnswer<EndpointAnswer>(`/api/endpoints/${encodeURIComponent(name)}`, options, context);
  if (options.json === true) {
    printJson(context.output, endpoint);
    return;
  }
  const { query, ...settings } = endpoint;
  const rows = Object.entries(settings).map(([key, value]) => [
    key,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  printTable(["FIELD", "VALUE"], rows, context);
  print(context.output, `\n${query}`);
}
