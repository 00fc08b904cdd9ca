import { resolve } from "node:path";
import { parseLifetime } from "../../../access/expiry.ts";
import { AlertDocument } from "../../../alerts/alert-form.ts";
import { loadAlerts } from "../../../alerts/load-alerts.ts";
import type { alertRoutes } from "../../../http/routes/admin/alerts.ts";
import type { AnswerOf } from "../../../openapi/route-description.ts";
import { CliError, type CommandContext, countOf, print, printAnswer, printJson } from "../../context.ts";
import { printTable } from "../../output/table.ts";
import { readAnswer } from "../../service-call.ts";

type StateAnswer = AnswerOf<typeof alertRoutes.getAlertState>;
type TestAnswer = AnswerOf<typeof alertRoutes.testAlert>;

interface AlertAnswer {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly origin: "file" | "api";
  readonly file: string | null;
  readonly silenced_until: string | null;
  readonly [field: string]: unknown;
}

/** Alerts whose states are asked for at once. */
const maxAsked = 16;

const pathOf = (idOrName: string) => `/api/alerts/${encodeURIComponent(idOrName)}`;

/** Lists the alerts with their states. */
export async function listAlerts(context: CommandContext): Promise<void> {
  const alerts = await readAnswer<readonly AlertAnswer[]>(context, "/api/alerts");
  const listed: (AlertAnswer & { readonly state: StateAnswer })[] = [];
  for (let at = 0; at < alerts.length; at += maxAsked) {
    const some = alerts.slice(at, at + maxAsked).map(async (alert) => {
      return { ...alert, state: await readAnswer<StateAnswer>(context, `${pathOf(alert.id)}/state`) };
    });
    listed.push(...(await Promise.all(some)));
  }
  const rows = listed.map(({ id, name, origin, state }) => {
    return [name, id, origin, statusOf(state), sinceOf(state) ?? "", state.next_run_at ?? "never"];
  });
  const header = ["NAME", "ID", "ORIGIN", "STATE", "SINCE", "NEXT RUN"];
  printAnswer(context, listed, () => printTable(header, rows, context));
}

/** Shows an alert: its fields, its state and its groups. */
export async function showAlert(context: CommandContext, name: string): Promise<void> {
  const alert = await readAnswer<AlertAnswer>(context, pathOf(name));
  const state = await readAnswer<StateAnswer>(context, `${pathOf(alert.id)}/state`);
  const { groups, failure, ...rest } = state;
  const rows = Object.entries({ ...alert, ...rest, status: statusOf(state), failure: failure?.reason ?? null })
    .filter(([, value]) => value !== null)
    .map(([field, value]) => [field, typeof value === "string" ? value.trimEnd() : JSON.stringify(value)]);
  const found = groups.map(({ labels, value, status, since }) => [status, since, labelsOf(labels), value ?? ""]);
  printAnswer(context, { ...alert, state }, () => {
    printTable(["FIELD", "VALUE"], rows, context);
    if (groups.length === 0) return;
    print(context.output, "");
    printTable(["STATE", "SINCE", "GROUP", "VALUE"], found, context);
  });
}

interface TestOptions {
  readonly from: string;
  readonly to?: string;
}

/** Prints what an alert would have reported between two times. */
export async function testAlert(
  context: CommandContext,
  name: string,
  { from, to = "0s" }: TestOptions,
): Promise<void> {
  const nowMs = Date.now();
  const range = { from: readPast("--from", from, nowMs), to: readPast("--to", to, nowMs) };
  const { runs, notices } = await readAnswer<TestAnswer>(context, `${pathOf(name)}/test`, { body: range });
  const rows = notices.map(({ at, status, labels, message }) => [at, status, labelsOf(labels), message]);
  printAnswer(context, { ...range, runs, notices }, () => {
    if (rows.length > 0) printTable(["AT", "STATUS", "GROUP", "MESSAGE"], rows, context);
    print(context.output, `${countOf(runs, "run")}, ${countOf(notices.length, "notice")}`);
  });
}

interface SilenceOptions {
  readonly for: string;
  readonly comment?: string;
}

/** Holds an alert's notices back for a while. */
export async function silenceAlert(context: CommandContext, name: string, options: SilenceOptions): Promise<void> {
  const ms = parseLifetime(options.for);
  if (ms === undefined || ms === 0) {
    throw new CliError(`--for ${options.for}: a time is a number and s, m, h, d or w, such as 2h`);
  }
  const body = { until: new Date(Date.now() + ms).toISOString(), comment: options.comment };
  const alert = await readAnswer<AlertAnswer>(context, `${pathOf(name)}/silence`, { body });
  printAnswer(context, alert, `The alert ${alert.name} is silent until ${alert.silenced_until}.`);
}

/** Ends a silence. */
export async function unsilenceAlert(context: CommandContext, name: string): Promise<void> {
  const alert = await readAnswer<AlertAnswer>(context, `${pathOf(name)}/silence`, { body: {} });
  printAnswer(context, alert, `The alert ${alert.name} is no longer silent.`);
}

/** Runs an alert by its schedule. */
export async function enableAlert(context: CommandContext, name: string): Promise<void> {
  const alert = await readAnswer<AlertAnswer>(context, pathOf(name), { method: "PUT", body: { enabled: true } });
  printAnswer(context, alert, `The alert ${alert.name} is on.`);
}

/** Runs an alert no longer. */
export async function disableAlert(context: CommandContext, name: string): Promise<void> {
  const alert = await readAnswer<AlertAnswer>(context, pathOf(name), { method: "PUT", body: { enabled: false } });
  printAnswer(context, alert, `The alert ${alert.name} is off.`);
}

/** Deletes an alert. */
export async function deleteAlert(context: CommandContext, name: string): Promise<void> {
  const alert = await readAnswer<AlertAnswer>(context, pathOf(name));
  await readAnswer(context, pathOf(alert.id), { method: "DELETE" });
  printAnswer(context, { deleted: alert.id }, `The alert ${alert.name} was deleted.`);
}

/**
 * Makes the alerts of a file or a folder, and changes those of a service with their names to what the files say. The
 * files are all read before the first change.
 */
export async function applyAlerts(context: CommandContext, path: string): Promise<void> {
  const files = await loadAlerts(resolve(context.workingDir, path));
  const alerts = await readAnswer<readonly AlertAnswer[]>(context, "/api/alerts");
  const known = new Set(alerts.map(({ name }) => name));
  const omitted = Object.fromEntries(Object.keys(AlertDocument.properties).map((field) => [field, null]));
  const applied: object[] = [];
  for (const { path: file, form } of files) {
    const isKnown = known.has(form.name);
    const call = isKnown
      ? readAnswer<AlertAnswer>(context, pathOf(form.name), { method: "PUT", body: { ...omitted, ...form } })
      : readAnswer<AlertAnswer>(context, "/api/alerts", { body: form });
    const { name, id } = await call.catch((error: unknown) => {
      if (error instanceof CliError) throw new CliError(`${file}: ${error.message}`, error.exitCode);
      throw error;
    });
    const action = isKnown ? "changed" : "created";
    applied.push({ action, name, id });
    if (context.json !== true) print(context.output, `${action} ${name}`);
  }
  if (context.json === true) printJson(context.output, applied);
  else print(context.output, `${countOf(applied.length, "alert")} applied`);
}

/** A time that is given as such, or as how long ago it was. */
function readPast(flag: string, text: string, nowMs: number): string {
  const agoMs = parseLifetime(text);
  const ms = agoMs === undefined ? Date.parse(text) : nowMs - agoMs;
  if (!Number.isNaN(ms)) return new Date(ms).toISOString();
  throw new CliError(`${flag} ${text}: must be a time, as 2026-11-24T20:00:00Z, or how long ago, such as 2h`);
}

function statusOf({ status, next_run_at: nextRun, silenced_until: until }: StateAnswer): string {
  const isSilent = until !== null && Date.parse(until) > Date.now();
  return [status, ...(nextRun === null ? ["off"] : []), ...(isSilent ? ["silenced"] : [])].join(", ");
}

/** Since when the alert has the state that it has. */
function sinceOf({ status, groups, failure }: StateAnswer): string | undefined {
  if (failure !== null) return failure.since;
  const times = groups.filter((group) => group.status === status).map(({ since }) => since);
  return times.sort()[0];
}

function labelsOf(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}
