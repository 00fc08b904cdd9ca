import { findNearest } from "../shared/documents/nearest.ts";
import { invalidParameter, ServiceError } from "../shared/errors.ts";
import { omitUndefined } from "../shared/omit-undefined.ts";
import { findToolOf, type ToolDescription } from "./list-tools.ts";
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
  const tool = findToolOf(endpoints, identity, name);
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
    throw invalidParameter(name, `The tool takes no argument ${name}`, {
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

/** The arguments that the tools `query` and `patterns` share. */
function readQuery({ endpoint, sql, lql, parameters, ...others }: Arguments) {
  const name = readText("endpoint", endpoint);
  if (name === undefined) {
    throw new ServiceError("missing_parameter", "The argument endpoint is required", { parameter: "endpoint" });
  }
  const values = readParameters(parameters);
  return { name, values, query: omitUndefined({ sql: readText("sql", sql), lql: readText("lql", lql) }), others };
}

async function runQuery(caller: McpCaller, sent: Arguments): Promise<ToolAnswer> {
  const { name, values, query, others } = readQuery(sent);
  if (Object.keys(query).length === 0) return answerTables(caller, name, new Map(Object.entries(values)));
  return runRows(caller, name, omitUndefined({ ...values, ...query, ...others }));
}

async function runPatterns(caller: McpCaller, sent: Arguments): Promise<ToolAnswer> {
  const { name, query, values, others } = readQuery(sent);
  const [field = "event_message", top = 20] = [readText("field", others.field), others.top as number | undefined];
  if (!Number.isInteger(top) || top < 1 || top > 100) {
    throw invalidParameter("top", "The argument top must be an integer from 1 to 100");
  }
  const request = { table: readText("table", others.table), field: field.split("."), top };
  const asked = new Map(Object.entries(omitUndefined({ ...values, ...query })));
  return answerPatterns(caller, await caller.openCall(name, asked, true), request);
}

function readFormat(format: unknown): RowFormat {
  const found = rowFormats.find((each) => each === (format ?? "csv"));
  if (found !== undefined) return found;
  throw invalidParameter("format", `The argument format must be one of ${rowFormats.join(", ")}`, {
    allowed: rowFormats,
  });
}

/** The endpoint's parameters. What else a call takes has arguments of its own. */
function readParameters(parameters: unknown): Arguments {
  if (parameters === undefined || parameters === null) return {};
  if (typeof parameters === "object" && !Array.isArray(parameters)) return parameters as Arguments;
  throw invalidParameter("parameters", "The argument parameters must be an object");
}

/** An empty text counts as none. */
function readText(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw invalidParameter(name, `The argument ${name} must be text`);
  return value.trim() === "" ? undefined : value;
}
