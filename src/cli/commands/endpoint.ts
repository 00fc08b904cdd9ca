import type { endpointRoutes } from "../../http/routes/admin/endpoints.ts";
import type { AnswerOf } from "../../openapi/route-description.ts";
import { type CommandContext, print, printAnswer } from "../context.ts";
import { printTable } from "../output/table.ts";
import { readAnswer } from "../service-call.ts";

type EndpointAnswer = AnswerOf<typeof endpointRoutes.getEndpoint>;

/** Lists the endpoints of a running service. */
export async function listEndpoints(context: CommandContext): Promise<void> {
  const endpoints = await readAnswer<readonly EndpointAnswer[]>(context, "/api/endpoints");
  const rows = endpoints.map((endpoint) => [
    endpoint.name,
    endpoint.id,
    String(endpoint.version),
    Object.keys(endpoint.parameters).join(" "),
    endpoint.description ?? "",
  ]);
  const header = ["NAME", "ID", "VERSION", "PARAMETERS", "DESCRIPTION"];
  printAnswer(context, endpoints, () => printTable(header, rows, context));
}

/** Shows one endpoint of a running service. */
export async function getEndpoint(context: CommandContext, name: string): Promise<void> {
  const endpoint = await readAnswer<EndpointAnswer>(context, `/api/endpoints/${encodeURIComponent(name)}`);
  const { query, ...settings } = endpoint;
  const rows = Object.entries(settings).map(([key, value]) => [
    key,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  printAnswer(context, endpoint, () => {
    printTable(["FIELD", "VALUE"], rows, context);
    print(context.output, `\n${query}`);
  });
}
