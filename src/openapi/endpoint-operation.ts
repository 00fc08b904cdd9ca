import type { Pins } from "../access/pins.ts";
import type { Endpoint } from "../endpoints/definition/definition.ts";
import type { ErrorCode } from "../shared/error-catalogue.ts";
import { rowSchema } from "./column-schema.ts";
import { consumerErrors, errorResponses, runErrors } from "./error-responses.ts";
import type { Header, JsonSchema, Operation, Parameter, Response } from "./open-api-document.ts";
import { openParameters } from "./open-parameters.ts";
import { endpointParameter } from "./parameter-schema.ts";

/** The path at which an endpoint runs, with its literal name. */
export function runPath(name: string): string {
  return `/api/endpoints/query/${encodeURIComponent(name)}`;
}

/** Names of an endpoint's row and answer among the document's schemas. */
function schemaNames({ definition }: Endpoint): { readonly row: string; readonly answer: string } {
  return { row: `${definition.name}.row`, answer: `${definition.name}.answer` };
}

/** The schemas of an endpoint's answer. A query of the caller's answers columns of its own. */
export function endpointSchemas(endpoint: Endpoint): Readonly<Record<string, JsonSchema>> {
  const { row, answer } = schemaNames(endpoint);
  const own: JsonSchema = { $ref: `#/components/schemas/${row}` };
  const items: JsonSchema = endpoint.definition.isSandboxed
    ? { anyOf: [own, { $ref: "#/components/schemas/AnyRow" }], description: "Another row if sql or lql was sent" }
    : own;
  return {
    [row]: rowSchema(endpoint.contract.columns),
    [answer]: {
      type: "object",
      properties: { result: { type: "array", items, maxItems: endpoint.definition.maxRows } },
      required: ["result"],
    },
  };
}

const shared = (name: string): Parameter => ({ $ref: `#/components/parameters/${name}` });
const header = (name: string): Header => ({ $ref: `#/components/headers/${name}` });

/** The operation that runs an endpoint, for a caller with these pins. */
export function endpointOperation(endpoint: Endpoint, operationId: string, pins: Pins): Operation {
  const { definition, contract, version } = endpoint;
  const { id, name, description, isSandboxed, cacheSeconds } = definition;
  const parameters = openParameters(contract.parameters, pins);
  const isCached = cacheSeconds > 0;
  const mayMiss: readonly ErrorCode[] = parameters.some(({ isRequired }) => isRequired) ? ["missing_parameter"] : [];
  return {
    operationId,
    summary: name,
    ...(description === undefined ? {} : { description }),
    tags: ["endpoints"],
    parameters: [
      ...parameters.map(endpointParameter),
      ...(isSandboxed ? [shared("sql"), shared("lql")] : []),
      limitParameter(definition.maxRows),
      shared("cursor"),
      shared("format"),
      shared("redact"),
      shared("prefer"),
      ...(isCached ? [shared("ifNoneMatch")] : []),
    ],
    responses: {
      200: answer(endpoint),
      ...(isCached ? { 304: { description: "The answer still has the ETag in If-None-Match" } } : {}),
      ...errorResponses([...mayMiss, ...runErrors, ...(isSandboxed ? consumerErrors : ["sandbox_disabled" as const])]),
    },
    "x-logweir": { endpoint: name, id, version },
  };
}

function limitParameter(maxRows: number): Parameter {
  return {
    name: "limit",
    in: "query",
    required: false,
    description: "Maximum number of rows",
    schema: { type: "integer", minimum: 1, maximum: maxRows },
  };
}

function answer(endpoint: Endpoint): Response {
  const { row, answer: whole } = schemaNames(endpoint);
  const isCached = endpoint.definition.cacheSeconds > 0;
  return {
    description: "The rows",
    headers: {
      "Server-Timing": header("ServerTiming"),
      "X-Request-Id": header("RequestId"),
      "X-Logweir-Data-Through": header("DataThrough"),
      "Cache-Control": header("CacheControl"),
      Vary: header("Vary"),
      Link: header("Link"),
      ...(isCached ? { ETag: header("ETag"), Age: header("Age"), "Cache-Status": header("CacheStatus") } : {}),
    },
    content: {
      "application/json": { schema: { $ref: `#/components/schemas/${whole}` } },
      "application/x-ndjson": {
        schema: {
          ...(endpoint.definition.isSandboxed ? {} : { $ref: `#/components/schemas/${row}` }),
          description: "One row per line",
        },
      },
      "text/csv": { schema: { type: "string" } },
      "application/vnd.apache.parquet": {},
      "application/vnd.apache.arrow.stream": {},
    },
  };
}
