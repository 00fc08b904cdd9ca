import { findNearest } from "../shared/documents/nearest.ts";
import { ServiceError } from "../shared/errors.ts";
import { listTools, type ToolDescription } from "./list-tools.ts";
import { type McpCaller, type RowFormat, rowFormats } from "./mcp-caller.ts";
import { answerPatterns } from "./patterns-tool.ts";
import { readRows } from "./read-rows.ts";
import { answerRows, type ToolAnswer } from "./rows-answer.ts";
import { answerTables } from "./tables.ts";
import { ownTools, toolNameOf } from "./tool-name.ts";

type Arguments = Readonly<Record<string, unknown>>;

/** A tool of a caller, ready to be called; undefined where the caller has none of this name. */
export function findTool(caller: McpCaller, name: string): ((sent: Arguments) => Promise<ToolAnswer>) | undefined {
  const { endpoints, identity } = caller;
  const tool = listTools(endpoints, identity, name).find((each) => each.name === name);
  if (tool === undefined) return undefined;
  return async (sent) => {
    refuseUnknown(tool, sent, Object.keys(identity.pins));
    if (name === ownTools.query) return runQuery(caller, sent);
    if (name === ownTools.patterns) return runPatterns(caller, sent);
    const endpoint = endpoints.find(({ definition }) => toolNameOf(definition) === name);
    return runRows(caller, endpoint?.definition.id ?? name, sent);
  };
}

/** Throws for a misspelt argument: nobody would notice that an answer ignores it. Pins are refused by the call. */
function refuseUnknown({ inputSchema }: ToolDescription, sent: Arguments, pins: readonly string[]): void {
  const known = Object.keys(inputSchema.properties ?? {});
  for (const name of Object.keys(sent)) {
    if (known.includes(name) || pins.includes(name)) continue;
    const near = findNearest(name.slice(0, 100), known);
    throw new ServiceError("invalid_parameter", `The tool takes no argument ${name}`, {
      parameter: name,
      allowed: known,
      hint: near === undefined ? `It takes ${known.join(", ")}.` : `Did you mean ${near}?`,
    });
  }
}

async function runRows(caller: McpCaller, name: string, { format, ...sent }: Arguments): Promise<ToolAnswer> {
  const chosen = readFormat(format);
  const call = await caller.openCall(name, new Map(Object.entries(sent)), true);
  return answerRows(await readRows(caller, call, chosen));
}

async function runQuery(caller: McpCaller, sent: Arguments): Promise<ToolAnswer> {
  const { endpoint, sql, lql, parameters, ...page } = sent;
  const name = readText("endpoint", endpoint);
  if (name === undefined) throw missing("endpoint");
  const values = readParameters(parameters);
  const query = { sql: readText("sql", sql), lql: readText("lql", lql) };
  if (query.sql === undefined && query.lql === undefined) {
    return answerTables(caller, name, new Map(Object.entries(values)));
  }
  return runRows(caller, name, withoutEmpty({ ...values, ...query, ...page }));
}

async function runPatterns(caller: McpCaller, sent: Arguments): Promise<ToolAnswer> {
  const name = readText("endpoint", sent.endpoint);
  if (name === undefined) throw missing("endpoint");
  const [field = "event_message", top = 20] = [readText("field", sent.field), sent.top as number | undefined];
  if (!Number.isInteger(top) || top < 1 || top > 100) {
    throw new ServiceError("invalid_parameter", "The argument top must be an integer from 1 to 100", {
      parameter: "top",
    });
  }
  const request = { table: readText("table", sent.table), field: field.split("."), top };
  const query = { sql: readText("sql", sent.sql), lql: readText("lql", sent.lql) };
  const values = withoutEmpty({ ...readParameters(sent.parameters), ...query });
  return answerPatterns(caller, await caller.openCall(name, new Map(Object.entries(values)), true), request);
}

function withoutEmpty(values: Arguments): Arguments {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function readFormat(format: unknown): RowFormat {
  const found = rowFormats.find((each) => each === (format ?? "csv"));
  if (found !== undefined) return found;
  throw new ServiceError("invalid_parameter", `The argument format must be one of ${rowFormats.join(", ")}`, {
    parameter: "format",
    allowed: rowFormats,
  });
}

/** The endpoint's parameters. What else a call takes has arguments of its own. */
function readParameters(parameters: unknown): Arguments {
  if (parameters === undefined || parameters === null) return {};
  if (typeof parameters === "object" && !Array.isArray(parameters)) return parameters as Arguments;
  throw new ServiceError("invalid_parameter", "The argument parameters must be an object", { parameter: "parameters" });
}

/** An empty text counts as none. */
function readText(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") {
    throw new ServiceError("invalid_parameter", `The argument ${name} must be text`, { parameter: name });
  }
  return value.trim() === "" ? undefined : value;
}

function missing(parameter: string): ServiceError {
  return new ServiceError("missing_parameter", `The argument ${parameter} is required`, { parameter });
}
