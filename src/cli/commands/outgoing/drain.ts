import { readFile } from "node:fs/promises";
import type { backendRoutes, ruleRoutes } from "../../../http/routes/admin/drains.ts";
import type { AnswerOf } from "../../../openapi/route-description.ts";
import { messageOf } from "../../../shared/message-of.ts";
import { CliError, type CommandContext, printAnswer } from "../../context.ts";
import { printTable } from "../../output/table.ts";
import { readAnswer } from "../../service-call.ts";

type BackendAnswer = AnswerOf<typeof backendRoutes.getBackend> & { readonly config: { readonly url: string } };
type RuleAnswer = AnswerOf<typeof ruleRoutes.getRule>;

interface BackendOptions {
  readonly to?: string;
  readonly type?: string;
  /** The path of a file. */
  readonly config?: string;
}

interface RuleOptions {
  readonly source?: string;
  readonly lql?: string;
}

/** Lists the destinations of events, with the state of their delivery. */
export async function listBackends(context: CommandContext): Promise<void> {
  const backends = await readAnswer<readonly BackendAnswer[]>(context, "/api/backends");
  const rows = backends.map(({ id, name, type, config, status }) => {
    const waiting = status.reduce((sum, each) => sum + each.waiting, 0);
    const failed = status.find(({ last_error: error }) => error !== null);
    return [id, name, type, config.url, String(waiting), failed?.last_error ?? ""];
  });
  const header = ["ID", "NAME", "TYPE", "ADDRESS", "WAITING", "LAST ERROR"];
  printAnswer(context, backends, () => printTable(header, rows, context));
}

/** Creates a backend. Secrets come from a file, because other users can see the arguments of a command. */
export async function createBackend(context: CommandContext, name: string, options: BackendOptions): Promise<void> {
  const { to, type = "webhook", config } = options;
  if (to === undefined) throw new CliError("This needs --to: the address that events are sent to");
  const secrets = config === undefined ? {} : await readConfig(config);
  const body = { name, type, config: { ...secrets, url: to } };
  const backend = await readAnswer<BackendAnswer>(context, "/api/backends", { body });
  const next = `Say what goes there: logweir rule create ${name} --source NAME`;
  printAnswer(context, backend, `The backend ${name} was made. ${next}`);
}

async function readConfig(path: string): Promise<object> {
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    throw new CliError(`${path} cannot be read as JSON: ${messageOf(error)}`);
  }
  throw new CliError(`${path} must hold a JSON object, such as {"headers": {"Authorization": "Bearer ..."}}`);
}

/** Deletes a backend, by its name or id, with its rules. */
export async function deleteBackend(context: CommandContext, nameOrId: string): Promise<void> {
  const { id, name } = await findBackend(context, nameOrId);
  await readAnswer(context, `/api/backends/${id}`, { method: "DELETE" });
  printAnswer(context, { deleted: id }, `The backend ${name} was deleted, with its rules.`);
}

/** Lists which events are drained where. */
export async function listRules(context: CommandContext): Promise<void> {
  const rules = await readAnswer<readonly RuleAnswer[]>(context, "/api/rules");
  const backends = await readAnswer<readonly BackendAnswer[]>(context, "/api/backends");
  const names = new Map(backends.map(({ id, name }) => [id, name]));
  const rows = rules.map((rule) => {
    return [rule.id, names.get(rule.backend_id) ?? rule.backend_id, rule.source, rule.lql_string];
  });
  printAnswer(context, rules, () => printTable(["ID", "BACKEND", "SOURCE", "LQL"], rows, context));
}

/** Sends events of a source to a backend from now on. */
export async function createRule(
  context: CommandContext,
  backend: string,
  { source, lql = "" }: RuleOptions,
): Promise<void> {
  if (source === undefined) throw new CliError("This needs --source: the source whose events go there");
  const { id, name } = await findBackend(context, backend);
  const body = { backend_id: id, source_id: source, lql_string: lql };
  const rule = await readAnswer<RuleAnswer>(context, "/api/rules", { body });
  printAnswer(context, rule, `Events of ${rule.source} go to ${name} from now on.`);
}

/** Deletes a rule. */
export async function deleteRule(context: CommandContext, id: string): Promise<void> {
  await readAnswer(context, `/api/rules/${encodeURIComponent(id)}`, { method: "DELETE" });
  printAnswer(context, { deleted: id }, "The rule was deleted.");
}

async function findBackend(context: CommandContext, nameOrId: string): Promise<BackendAnswer> {
  const backends = await readAnswer<readonly BackendAnswer[]>(context, "/api/backends");
  const found = backends.filter(({ id, name }) => id === nameOrId || name === nameOrId);
  const [backend] = found;
  if (backend === undefined) throw new CliError(`There is no backend ${nameOrId}; \`logweir backend list\` lists them`);
  if (found.length > 1) throw new CliError(`Several backends are called ${nameOrId}; name one by its id`);
  return backend;
}
