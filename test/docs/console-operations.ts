import { describedService } from "../../src/http/routes/index.ts";
import { buildOpenApi } from "../../src/openapi/build-open-api.ts";
import type { OpenApiDocument, Operation, Response } from "../../src/openapi/open-api-document.ts";
import { generateTypes } from "../clients/generate-types.ts";

const owner = { tokenId: "", scopes: ["private"], pins: {}, budget: {}, redaction: "switchable" } as const;

/** The service's own API; senders and clients of other protocols have paths of their own. */
const isOfConsole = (path: string) => path.startsWith("/api/") || path === "/metrics";

/** The operations of the console that an owner may call, with method and path. */
function listOperations({ paths }: OpenApiDocument): readonly (readonly [string, string, Operation])[] {
  const own = Object.entries(paths).filter(([path]) => isOfConsole(path));
  return own.flatMap(([path, item]) =>
    Object.entries(item as Readonly<Record<string, Operation>>).map(
      ([method, operation]) => [method, path, operation] as const,
    ),
  );
}

/** Method and path of each operation that the console may call. */
export function printConsoleOperations(): string {
  const rows = listOperations(buildOpenApi(describedService, [], owner)).map(
    ([method, path, { operationId }]) => `  ${operationId}: [${JSON.stringify(method)}, ${JSON.stringify(path)}],\n`,
  );
  return `/** Method and path of each operation. */\nexport const operations = {\n${rows.join("")}} as const;\n`;
}

/** The document without what the console does not read: only answers of success, and no parameters. */
function answersOnly(document: OpenApiDocument): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [method, path, { operationId, responses }] of listOperations(document)) {
    const [, success] = Object.entries(responses).find(([status]) => status.startsWith("2")) ?? [];
    const { content }: Partial<Response> = success ?? {};
    paths[path] = { ...paths[path], [method]: { operationId, responses: { 200: { description: "", content } } } };
  }
  return {
    openapi: document.openapi,
    info: document.info,
    paths,
    components: { schemas: document.components.schemas },
  };
}

/** The module of the console with the types of answers and the table of operations. */
export async function printConsoleModule(): Promise<string> {
  const types = await generateTypes(answersOnly(buildOpenApi(describedService, [], owner)));
  return `// Made by \`npm run docs\` from the service's OpenAPI document: changes here are lost when it is made again.

${types.slice(types.indexOf("export interface components"))}
type Content<Body> = Body extends { content: { "application/json": infer Json } } ? Json : undefined;

/** The JSON that each operation answers. */
export type Answers = { readonly [Name in keyof operations]: Content<operations[Name]["responses"][200]> };

export type Endpoint = components["schemas"]["Endpoint"];
export type Version = components["schemas"]["Version"];

${printConsoleOperations()}`;
}
