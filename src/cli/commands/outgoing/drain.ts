import { readFile } from "node:fs/promises";
import { messageOf } from "../../../shared/message-of.ts";
import type { CommandOptions, ServiceCommandOptions } from "../../command-definition.ts";
import { type CliContext, CliError, print, printJson } from "../../context.ts";
import { printTable } from "../../output/table.ts";
import { createServiceClient, describeAnswer, readAnswer } from "../../service-call.ts";

interface BackendAnswer {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly config: { readonly url: string };
  readonly status: readonly { readonly waiting: number; readonly last_error: string | null }[];
}

interface RuleAnswer {
  readonly id: string;
  readonly backend_id: string;
  readonly source: string;
  readonly lql_string: string;
}

export interface BackendOptions extends CommandOptions {
  readonly to?: string;
}

const asJson = { "content-type": "application/json" };

/** Lists the destinations of events, with the state of their delivery. */
export async function listBackends(options: ServiceCommandOptions, context: CliContext): Promise<void> {
  const backends = await readAnswer<readonly BackendAnswer[]>("/api/backends", options, context);
  if (options.json === true) {
    printJson(context.output, backends);
    return;
  }
  const rows = backends.map(({ id, name, type, config, status }) => {
    const waiting = status.reduce((sum, each) => sum + each.waiting, 0);
    return [
      id,
      name,
      type,
      config.url,
      String(waiting),
      status.find(({ last_error: error }) => error !== null)?.last_error ?? "",
    ];
  });
  printTable(["ID", "NAME", "TYPE", "ADDRESS", "WAITING", "LAST ERROR"], rows, context);
}

/** Creates a backend. Secrets come from a file, because other users can see the arguments of a command. */
export async function createBackend(name: string, options: BackendOptions, context: CliContext): Promise<void> {
  if (options.to === undefined) throw new CliError("This needs --to: the address that events are sent to");
  const config = options.config === undefined ? {} : await readConfig(options.config);
  const body = JSON.stringify({ name, type: options.type ?? "webhook", config: { ...config, url: options.to } });
  const request = { method: "POST", headers: asJson, body };
  const backend = await readAnswer<BackendAnswer>("/api/backends", options, context, request);
  if (options.json === true) printJson(context.output, backend);
  else
    print(
      context.output,
      `The backend ${name} was made. Say what goes there: logweir rule create ${name} --source NAME`,
    );
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
export async function deleteBackend(nameOrId: string, options: CommandOptions, context: CliContext): Promise<void> {
  const { id, name } = await findBackend(nameOrId, options, context);
  await remove(`/api/backends/${id}`, options, context);
  if (options.json === true) printJson(context.output, { deleted: id });
  else print(context.output, `The backend ${name} was deleted, with its rules.`);
}

/** Lists which events are drained where. */
export async function listRules(options: ServiceCommandOptions, context: CliContext): Promise<void> {
  const rules = await readAnswer<readonly RuleAnswer[]>("/api/rules", options, context);
  if (options.json === true) {
    printJson(context.output, rules);
    return;
  }
  const backends = await readAnswer<readonly BackendAnswer[]>("/api/backends", options, context);
  const names = new Map(backends.map(({ id, name }) => [id, name]));
  const rows = rules.map((rule) => [
    rule.id,
    names.get(rule.backend_id) ?? rule.backend_id,
    rule.source,
    rule.lql_string,
  ]);
  printTable(["ID", "BACKEND", "SOURCE", "LQL"], rows, context);
}

/** Sends events of a source to a backend from now on. */
export async function createRule(backend: string, options: CommandOptions, context: CliContext): Promise<void> {
  if (options.source === undefined) throw new CliError("This needs --source: the source whose events go there");
  const { id, name } = await findBackend(backend, options, context);
  const body = JSON.stringify({ backend_id: id, source_id: options.source, lql_string: options.lql ?? "" });
  const rule = await readAnswer<RuleAnswer>("/api/rules", options, context, { method: "POST", headers: asJson, body });
  if (options.json === true) printJson(context.output, rule);
  else print(context.output, `Events of ${rule.source} go to ${name} from now on.`);
}

/** Deletes a rule. */
export async function deleteRule(id: string, options: CommandOptions, context: CliContext): Promise<void> {
  await remove(`/api/rules/${encodeURIComponent(id)}`, options, context);
  if (options.json === true) printJson(context.output, { deleted: id });
  else print(context.output, "The rule was deleted.");
}

async function findBackend(nameOrId: string, options: CommandOptions, context: CliContext): Promise<BackendAnswer> {
  const backends = await readAnswer<readonly BackendAnswer[]>("/api/backends", options, context);
  const found = backends.filter(({ id, name }) => id === nameOrId || name === nameOrId);
  const [backend] = found;
  if (backend === undefined) throw new CliError(`There is no backend ${nameOrId}; \`logweir backend list\` lists them`);
  if (found.length > 1) throw new CliError(`Several backends are called ${nameOrId}; name one by its id`);
  return backend;
}

async function remove(path: string, options: CommandOptions, context: CliContext): Promise<void> {
  const response = await createServiceClient(options, context).send(path, { method: "DELETE" });
  if (!response.ok) throw new CliError(await describeAnswer(response));
}
