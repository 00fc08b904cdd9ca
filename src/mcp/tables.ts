import { findDefaultTable } from "../endpoints/call/plan/saved-query.ts";
import { listScopeTables, type ScopeTable } from "../endpoints/explore/inspect-consumer.ts";
import { ServiceError } from "../shared/errors.ts";
import type { McpCaller } from "./mcp-caller.ts";
import { answerBounds } from "./row-collector.ts";
import type { ToolAnswer } from "./rows-answer.ts";
import { markUntrusted, untrustedNotice } from "./untrusted.ts";

/** The resources that say what queries over an endpoint's tables may read. */
export const tablesTemplate = "logweir://endpoint/{endpoint}/tables{?parameters*}";

/** The resource of an endpoint, without parameters. */
export function tablesUri(endpoint: string): string {
  return `logweir://endpoint/${encodeURIComponent(endpoint)}/tables`;
}

/** The endpoint and the parameters that a resource names; undefined for any other. */
export function parseTablesUri(
  uri: string,
): { readonly endpoint: string; readonly parameters: ReadonlyMap<string, unknown> } | undefined {
  const [, encoded, query] = /^logweir:\/\/endpoint\/([^/?#]+)\/tables(?:\?([^#]*))?$/.exec(uri) ?? [];
  if (encoded === undefined) return undefined;
  try {
    return { endpoint: decodeURIComponent(encoded), parameters: new Map(new URLSearchParams(query ?? "")) };
  } catch {
    return undefined;
  }
}

/** Describes the tables, fields and types that queries of this caller may read, as its tenant sees them. */
export async function answerTables(
  caller: McpCaller,
  endpoint: string,
  parameters: ReadonlyMap<string, unknown>,
): Promise<ToolAnswer> {
  const call = await caller.openCall(endpoint, parameters, false);
  const { definition, savedQuery } = call.target;
  if (!definition.isSandboxed) {
    throw new ServiceError("sandbox_disabled", `The endpoint ${definition.name} takes no query of the caller's`);
  }
  const all = listScopeTables(caller.runner, call, findDefaultTable(savedQuery));
  let most = Math.max(0, ...all.map(({ fields }) => fields.length));
  let lines = describeTables(all, most);
  while (most > 0 && lines.length > answerBounds.characters) {
    most = Math.floor(most * 0.8);
    lines = describeTables(all, most);
  }
  const tables = all.map((table) => ({
    ...table,
    fields: table.fields.slice(0, most),
    field_count: table.fields.length,
  }));
  const count = `${tables.length} ${tables.length === 1 ? "table" : "tables"}`;
  return {
    texts: [
      `The endpoint ${definition.name} has ${count} that you can read. Records are arrays: metadata.request.path is ` +
        "r.path after CROSS JOIN UNNEST(metadata) AS m CROSS JOIN UNNEST(m.request) AS r.",
      markUntrusted(lines),
    ],
    data: { tables, notice: untrustedNotice },
  };
}

/** Tables with their first fields, and how many more there are. */
function describeTables(tables: readonly ScopeTable[], most: number): string {
  const lines = tables.flatMap(({ name, aliases, is_default: isDefault, fields }) => {
    const names = [
      `Table ${name}`,
      ...(isDefault ? ["the one that LQL reads"] : []),
      ...aliases.map((each) => `also ${each}`),
    ];
    const left = fields.length - most;
    return [
      names.join(", "),
      ...fields.slice(0, most).map(({ path, type }) => `  ${path} ${type}`),
      ...(left > 0 ? [`  ... and ${left} more fields: a row of the table shows those that it has`] : []),
    ];
  });
  return lines.join("\n");
}
