import { type Identity, isOwner } from "../access/scope.ts";
import type { Endpoint } from "../endpoints/definition/definition.ts";
import { callableEndpoints } from "../openapi/build-open-api.ts";
import type { JsonSchema } from "../openapi/open-api-document.ts";
import { openParameters } from "../openapi/open-parameters.ts";
import { parameterSchema } from "../openapi/parameter-schema.ts";
import { findPage } from "./list-page.ts";
import { rowFormats } from "./mcp-caller.ts";
import { patternsOutput } from "./patterns-tool.ts";
import { rowsSchema } from "./rows-answer.ts";
import { ownTools, toolNameOf } from "./tool-name.ts";

/** A tool as clients see it. */
export interface ToolDescription {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema & { readonly type: "object" };
  readonly outputSchema: JsonSchema;
  readonly annotations: typeof annotations;
}

/** Nothing is changed; texts come from the outside. */
const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true } as const;

const text = (description: string): JsonSchema => ({ type: "string", description });

const pageArguments: Readonly<Record<string, JsonSchema>> = {
  cursor: text("From the answer before: goes on behind its last row, with the same arguments besides"),
  format: { type: "string", enum: rowFormats, default: "csv", description: "How rows are written in the text" },
};

/** The arguments of a tool that runs an endpoint's own query, those that the token pins left out. */
function endpointArguments(
  { definition, contract }: Endpoint,
  { pins }: Identity,
): Readonly<Record<string, JsonSchema>> {
  const own = openParameters(contract.parameters, pins).map((parameter) => {
    const { description } = parameter;
    return [parameter.name, { ...parameterSchema(parameter), ...(description === undefined ? {} : { description }) }];
  });
  const limit = { type: "integer", minimum: 1, maximum: definition.maxRows, description: "Maximum number of rows" };
  return { ...Object.fromEntries(own), limit, ...pageArguments };
}

/** The endpoints whose callers may send a query of their own. */
export function openEndpoints(endpoints: readonly Endpoint[], identity: Identity): readonly Endpoint[] {
  return callableEndpoints(endpoints, identity).filter(({ definition }) => definition.isSandboxed);
}

/**
 * A page of the tools of a caller: two that take its queries where any may, and one for each endpoint that it may run.
 * Undefined for a cursor that is none.
 */
export function listTools(endpoints: readonly Endpoint[], identity: Identity, cursor?: string) {
  const callable = callableEndpoints(endpoints, identity);
  const page = findPage(callable, cursor);
  if (page === undefined) return undefined;
  const { endpoints: listed, ...next } = page;
  const own = cursor === undefined ? ownToolsOf(callable, identity) : [];
  return { tools: [...own, ...listed.map((endpoint) => describeEndpointTool(endpoint, identity))], ...next };
}

/** The tool of a name that a caller has. */
export function findToolOf(
  endpoints: readonly Endpoint[],
  identity: Identity,
  name: string,
): ToolDescription | undefined {
  const callable = callableEndpoints(endpoints, identity);
  const own = ownToolsOf(callable, identity).find((each) => each.name === name);
  if (own !== undefined) return own;
  const endpoint = callable.find(({ definition }) => toolNameOf(definition) === name);
  return endpoint === undefined ? undefined : describeEndpointTool(endpoint, identity);
}

function ownToolsOf(callable: readonly Endpoint[], identity: Identity): readonly ToolDescription[] {
  const open = callable.filter(({ definition }) => definition.isSandboxed).map(({ definition }) => definition.name);
  return open.length > 0 || isOwner(identity) ? ownToolsFor(open, isOwner(identity)) : [];
}

function describeEndpointTool(endpoint: Endpoint, identity: Identity): ToolDescription {
  const { definition, contract } = endpoint;
  const { name, description = `Runs the saved query ${name}.`, isSandboxed } = definition;
  const required = openParameters(contract.parameters, identity.pins).filter((each) => each.isRequired);
  const more = isSandboxed
    ? `\nFor another query over its tables use the tool ${ownTools.query} with endpoint ${name}.`
    : "";
  return {
    name: toolNameOf(definition),
    title: name,
    description: description + more,
    inputSchema: {
      type: "object",
      properties: endpointArguments(endpoint, identity),
      required: required.map((each) => each.name),
      additionalProperties: false,
    },
    outputSchema: rowsSchema(contract.columns),
    annotations,
  };
}

function ownToolsFor(open: readonly string[], isOwner: boolean): readonly ToolDescription[] {
  const sources = isOwner ? "; or source:NAME for the events of a source" : "";
  const queried: Readonly<Record<string, JsonSchema>> = {
    endpoint: text(`The endpoint whose tables are read: ${open.slice(0, 50).join(", ")}${sources}`),
    sql: text("A query in GoogleSQL (the dialect of BigQuery) over these tables: SELECT only"),
    lql: text("A query in LQL in place of sql, such as m.response.status_code:>=500 t:last@1h"),
    parameters: {
      type: "object",
      description: "Values of the endpoint's parameters, by name",
      additionalProperties: true,
    },
  };
  const required = ["endpoint"];
  return [
    {
      name: ownTools.query,
      title: "Query logs",
      description:
        "Runs a query of your own over the tables of an endpoint. Without sql and lql it answers with these tables, " +
        "their fields and types: begin with that. Fields of nested records are read by CROSS JOIN UNNEST(metadata) AS m. " +
        "Errors say where the query is wrong and which name is near.",
      inputSchema: {
        type: "object",
        properties: {
          ...queried,
          limit: { type: "integer", minimum: 1, description: "Maximum number of rows" },
          ...pageArguments,
        },
        required,
        additionalProperties: false,
      },
      outputSchema: queryOutput,
      annotations,
    },
    {
      name: ownTools.patterns,
      title: "Patterns of messages",
      description:
        "Reports which kinds of messages there are, with counts, times and an example of each: numbers, identifiers, " +
        "addresses, times and quoted texts are masked. Use it before reading raw rows. Reads all rows of sql or lql, " +
        "whose rows need the columns timestamp and event_message; else all rows of a table.",
      inputSchema: {
        type: "object",
        properties: {
          ...queried,
          table: text("The table to read if neither sql nor lql is given"),
          field: text("The field that holds the message; event_message by default"),
          top: { type: "integer", minimum: 1, maximum: 100, default: 20, description: "How many patterns to list" },
        },
        required,
        additionalProperties: false,
      },
      outputSchema: patternsOutput,
      annotations,
    },
  ];
}

const { properties, required: _ } = rowsSchema([]);

/** Rows of any columns, or tables. */
const queryOutput: JsonSchema = {
  type: "object",
  properties: {
    ...properties,
    tables: { type: "array", items: { type: "object" }, description: "Where neither sql nor lql was given" },
  },
};
