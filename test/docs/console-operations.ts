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

/** JSON that operations answer with success, by the operations' ids. */
function answersOf(document: OpenApiDocument): Readonly<Record<string, object>> {
  const entries = listOperations(document).flatMap(([, , { operationId, responses }]) => {
    const [, success] = Object.entries(responses).find(([status]) => status.startsWith("2")) ?? [];
    const { content }: Partial<Response> = success ?? {};
    const schema = content?.["application/json"]?.schema;
    return schema === undefined ? [] : [[operationId, schema] as const];
  });
  return Object.fromEntries(entries);
}

/** A document of nothing but the answers, as one schema, and the schemas that they refer to. */
function answersOnly(document: OpenApiDocument): object {
  const answers = answersOf(document);
  const all: Readonly<Record<string, object>> = document.components.schemas;
  const schemas: Record<string, object> = {};
  const add = (schema: object) => {
    for (const [, name = ""] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      const named = all[name];
      if (named === undefined || name in schemas) continue;
      schemas[name] = named;
      add(named);
    }
  };
  add(answers);
  const Json = { type: "object", properties: answers, required: Object.keys(answers) };
  const { openapi, info } = document;
  return { openapi, info, paths: {}, components: { schemas: { ...schemas, Json } } };
}

/** The module of the console with the types of answers and the table of operations. */
export async function printConsoleModule(): Promise<string> {
  const types = await generateTypes(answersOnly(buildOpenApi(describedService, [], owner)));
  const components = types.slice(types.indexOf("export interface components"), types.indexOf("    responses: never;"));
  return `// Made by \`npm run docs\` from the service's OpenAPI document: changes here are lost when it is made again.

${components.replace("export ", "")}}

type Json = components["schemas"]["Json"];

/** The JSON that each operation answers; undefined for one that answers none. */
export type Answers = {
  readonly [Name in keyof typeof operations]: Name extends keyof Json ? Json[Name] : undefined;
};

export type Endpoint = components["schemas"]["Endpoint"];
export type Version = components["schemas"]["Version"];

${printConsoleOperations()}`;
}
