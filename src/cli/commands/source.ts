import type { CommandOptions, ServiceCommandOptions } from "../command-definition.ts";
import { type CliContext, print, printJson } from "../context.ts";
import { printTable } from "../output/table.ts";
import { readAnswer } from "../service-call.ts";

interface SourceAnswer {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly kind: string;
  readonly newest_event: string | null;
  /** The source's name, if this is another name of it. */
  readonly alias_of?: string;
}

interface SchemaAnswer {
  readonly fields: readonly { readonly path: string; readonly type: string }[];
}

/** Lists the sources of a running service. */
export async function listSources(options: ServiceCommandOptions, context: CliContext): Promise<void> {
  const sources = await readAnswer<readonly SourceAnswer[]>("/api/sources", options, context);
  if (options.json === true) {
    printJson(context.output, sources);
    return;
  }
  const rows = sources
    .filter(({ alias_of: name }) => name === undefined)
    .map(({ name, kind, aliases, newest_event }) => [name, kind, newest_event ?? "", aliases.join(" ")]);
  printTable(["NAME", "KIND", "NEWEST EVENT", "ALIASES"], rows, context);
}

/** Shows the fields of a source. */
export async function showSchema(name: string, options: ServiceCommandOptions, context: CliContext): Promise<void> {
  const path = `/api/sources/${encodeURIComponent(name)}/schema`;
  const schema = await readAnswer<SchemaAnswer>(path, options, context);
  if (options.json === true) printJson(context.output, schema);
  else
    printTable(
      ["FIELD", "TYPE"],
      schema.fields.map(({ path: field, type }) => [field, type]),
      context,
    );
}

/** Makes a source. */
export async function createSource(name: string, options: CommandOptions, context: CliContext): Promise<void> {
  const { alias, tenant, description, retentionDays } = options;
  const document = {
    name,
    ...(alias === undefined ? {} : { aliases: alias.split(",").map((each) => each.trim()) }),
    ...(tenant === undefined ? {} : { tenant }),
    ...(description === undefined ? {} : { description }),
    ...(retentionDays === undefined ? {} : { retention_days: Number(retentionDays) }),
  };
  const made = await readAnswer<SourceAnswer>("/api/sources", options, context, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(document),
  });
  if (options.json === true) printJson(context.output, made);
  else
    print(context.output, `The source ${made.name} was made. Send it events: POST /api/logs?source_name=${made.name}`);
}
