import type { JsonSchema, OpenApiDocument, Operation, Parameter } from "../openapi/open-api-document.ts";
import { clientRuntime } from "./client-runtime.ts";
import { comment, propertyKey, schemaType } from "./schema-type.ts";

/** An endpoint of the document, with the names that it has in the client. */
interface ClientEndpoint {
  readonly path: string;
  readonly operation: Operation;
  readonly name: string;
  readonly typeName: string;
  readonly isSandboxed: boolean;
  readonly row: JsonSchema;
}

/**
 * A TypeScript client, without dependencies, of every endpoint in the document; the same text for the same document.
 */
export function generateClient(document: OpenApiDocument): string {
  const endpoints = Object.entries(document.paths).flatMap(([path, item]) => {
    const operation = item.get;
    return operation?.["x-logweir"] === undefined ? [] : [toEndpoint(document, path, operation)];
  });
  return [
    "// Made by `logweir client generate`: changes here are lost when it is made again.\n",
    writeErrorCodes(endpoints),
    clientRuntime,
    ...endpoints.map(writeTypes),
    writeClient(endpoints),
  ].join("\n");
}

function toEndpoint({ components }: OpenApiDocument, path: string, operation: Operation): ClientEndpoint {
  const name = operation.operationId;
  const row = components.schemas[`${operation["x-logweir"]?.endpoint ?? ""}.row`] ?? {};
  return {
    path,
    operation,
    name,
    typeName: name.charAt(0).toUpperCase() + name.slice(1),
    isSandboxed: operation.parameters?.some(({ $ref }) => $ref === "#/components/parameters/sql") ?? false,
    row,
  };
}

/** The codes that the document names; a later version of the service may have more. */
function writeErrorCodes(endpoints: readonly ClientEndpoint[]): string {
  const codes = new Set<string>(["http_error"]);
  for (const { operation } of endpoints) {
    for (const { content } of Object.values(operation.responses)) {
      const schema = content?.["application/json"]?.schema?.allOf?.[1]?.properties?.error?.properties?.code;
      for (const code of schema?.enum ?? []) codes.add(String(code));
    }
  }
  const lines = [...codes].sort().map((code) => `  | ${JSON.stringify(code)}\n`);
  return `export type ErrorCode =\n${lines.join("")}  | (string & {});\n`;
}

function writeTypes({ operation, typeName, row }: ClientEndpoint): string {
  const endpoint = operation["x-logweir"]?.endpoint ?? operation.operationId;
  const own = (operation.parameters ?? []).filter(({ in: place, name }) => place === "query" && name !== "limit");
  const parameters = own.map(writeParameter).join("");
  const parameterType = parameters === "" ? "Record<never, never>" : `{\n${parameters}}`;
  return `/** Parameters of ${endpoint}. */
export type ${typeName}Parameters = ${parameterType};

/** A row of ${endpoint}. */
export type ${typeName}Row = ${schemaType(row)};
`;
}

function writeParameter({ name = "", required, description, schema = {} }: Parameter): string {
  const type = parameterType(schema);
  const text = [description, schema.description].filter((each) => each !== undefined).join(": ");
  const optional = required === true ? `: ${type}` : `?: ${type} | null | undefined`;
  return `${comment(text, "  ")}  readonly ${propertyKey(name)}${optional};\n`;
}

function parameterType(schema: JsonSchema): string {
  if (schema.enum !== undefined) return schemaType(schema);
  // Only a TIMESTAMP is a text with a description of its form.
  if (schema.type === "string" && schema.description !== undefined) return "string | Date";
  return schema.type === "integer" ? "number | bigint" : schemaType(schema);
}

function writeClient(endpoints: readonly ClientEndpoint[]): string {
  const types = ({ typeName }: ClientEndpoint) => `<${typeName}Parameters, ${typeName}Row>`;
  const members = endpoints.map((endpoint) => {
    const kind = endpoint.isSandboxed ? "SandboxedEndpoint" : "Endpoint";
    const { description, summary } = endpoint.operation;
    return `${comment(description ?? summary, "  ")}  readonly ${endpoint.name}: ${kind}${types(endpoint)};\n`;
  });
  const values = endpoints.map(
    (endpoint) => `    ${endpoint.name}: makeEndpoint${types(endpoint)}(options, ${JSON.stringify(endpoint.path)}),\n`,
  );
  return `/** The endpoints of the service. */
export interface Client {
${members.join("")}}

/** A client of the service. Nothing is sent until an endpoint is called. */
export function createClient(options: ClientOptions): Client {
  return {
${values.join("")}  };
}
`;
}
