import type { OpenApiDocument, Operation } from "../openapi/open-api-document.ts";
import { propertyKey, schemaType } from "./schema-type.ts";

/**
 * TypeScript that names every operation of a document with its method, path and answer, for a client that sends
 * requests by itself.
 */
export function generateOperations({ paths, components }: OpenApiDocument): string {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item as Readonly<Record<string, Operation>>).map(([method, operation]) => ({
      path,
      method,
      operation,
    })),
  );
  const types = Object.entries(components.schemas).map(
    ([name, schema]) => `export type ${name} = ${schemaType(schema)};\n`,
  );
  const answers = operations.map(
    ({ operation }) => `  readonly ${propertyKey(operation.operationId)}: ${answerType(operation)};\n`,
  );
  const rows = operations.map(
    ({ path, method, operation }) =>
      `  ${propertyKey(operation.operationId)}: [${JSON.stringify(method)}, ${JSON.stringify(path)}],\n`,
  );
  return `// Made by \`npm run docs\` from the service's OpenAPI document: changes here are lost when it is made again.

${types.join("\n")}
/** What each operation answers. */
export interface Answers {
${answers.join("")}}

/** Method and path of each operation. */
export const operations = {
${rows.join("")}} as const;
`;
}

function answerType({ responses }: Operation): string {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith("2")) ?? [];
  const schema = success?.content?.["application/json"]?.schema;
  return schema === undefined ? "undefined" : schemaType(schema, "  ");
}
