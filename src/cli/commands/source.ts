import type { sourceRoutes } from "../../http/routes/admin/sources.ts";
import type { AnswerOf } from "../../openapi/route-description.ts";
import { type CommandContext, printAnswer } from "../context.ts";
import { printTable } from "../output/table.ts";
import { readAnswer } from "../service-call.ts";

type SourceAnswer = AnswerOf<typeof sourceRoutes.getSource>;
type SchemaAnswer = AnswerOf<typeof sourceRoutes.getSourceSchema>;

/** Lists the sources of a running service. */
export async function listSources(context: CommandContext): Promise<void> {
  const sources = await readAnswer<readonly SourceAnswer[]>(context, "/api/sources");
  const rows = sources
    .filter(({ alias_of: name }) => name === undefined)
    .map(({ name, kind, aliases, newest_event }) => [name, kind, newest_event ?? "", aliases.join(" ")]);
  printAnswer(context, sources, () => printTable(["NAME", "KIND", "NEWEST EVENT", "ALIASES"], rows, context));
}

/** Shows the fields of a source. */
export async function showSchema(context: CommandContext, name: string): Promise<void> {
  const schema = await readAnswer<SchemaAnswer>(context, `/api/sources/${encodeURIComponent(name)}/schema`);
  const rows = schema.fields.map(({ path, type }) => [path, type]);
  printAnswer(context, schema, () => printTable(["FIELD", "TYPE"], rows, context));
}

interface NewSourceOptions {
  readonly alias?: string;
  readonly tenant?: string;
  readonly description?: string;
  readonly retentionDays?: string;
}

/** Makes a source. */
export async function createSource(context: CommandContext, name: string, options: NewSourceOptions): Promise<void> {
  const { alias, tenant, description, retentionDays } = options;
  const aliases = alias?.split(",").map((each) => each.trim());
  const days = retentionDays === undefined ? undefined : Number(retentionDays);
  // What is undefined is not sent.
  const body = { name, aliases, tenant, description, retention_days: days };
  const made = await readAnswer<SourceAnswer>(context, "/api/sources", { body });
  const hint = `Send it events: POST /api/logs?source_name=${made.name}`;
  printAnswer(context, made, `The source ${made.name} was made. ${hint}`);
}
