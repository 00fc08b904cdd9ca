import { resolve } from "node:path";
import { parseLifetime } from "../../../access/expiry.ts";
import { AlertDocument } from "../../../alerts/alert-document.ts";
import { loadAlerts } from "../../../alerts/load-alerts.ts";
import type { CommandOptions, ServiceCommandOptions } from "../../command-definition.ts";
import { type CliContext, CliError, print, printJson } from "../../context.ts";
import { printTable } from "../../output/table.ts";
import { createServiceClient, describeAnswer, readAnswer } from "../../service-call.ts";

interface AlertAnswer {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly origin: "file" | "api";
  readonly file: string | null;
  readonly silenced_until: string | null;
  readonly [field: string]: unknown;
}

interface StateAnswer {
  readonly status: string;
  readonly groups: readonly {
    readonly labels: Readonly<Record<string, string>>;
    readonly value: string | null;
    readonly status: string;
    readonly since: string;
  }[];
  readonly failure: { readonly reason: string; readonly since: string } | null;
  readonly last_run_at: string | null;
  readonly next_run_at: string | null;
  readonly silenced_until: string | null;
  readonly waiting: number;
  readonly last_error: string | null;
}

interface TestAnswer {
  readonly runs: number;
  readonly notices: readonly {
    readonly at: string;
    readonly status: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly message: string;
  }[];
}

/** Alerts whose states are asked for at once. */
const maxAsked = 16;

/** Lists the alerts with their states. */
export async function listAlerts(options: ServiceCommandOptions, context: CliContext): Promise<void> {
  const alerts = await readAnswer<readonly AlertAnswer[]>("/api/alerts", options, context);
  const listed: (readonly [AlertAnswer, StateAnswer])[] = [];
  for (let at = 0; at < alerts.length; at += maxAsked) {
    const some = alerts.slice(at, at + maxAsked).map(async (alert) => {
      return [alert, await call<StateAnswer>(alert.id, options, context, "/state")] as const;
    });
    listed.push(...(await Promise.all(some)));
  }
  if (options.json === true) {
    printJson(
      context.output,
      listed.map(([alert, state]) => ({ ...alert, state })),
    );
    return;
  }
  const rows = listed.map(([{ id, name, origin }, state]) => {
    return [name, id, origin, statusOf(state), sinceOf(state) ?? "", state.next_run_at ?? "never"];
  });
  printTable(["NAME", "ID", "ORIGIN", "STATE", "SINCE", "NEXT RUN"], rows, context);
}

/** Shows an alert: its fields, its state and its groups. */
export async function showAlert(name: string, options: ServiceCommandOptions, context: CliContext): Promise<void> {
  const alert = await call<AlertAnswer>(name, options, context);
  const state = await call<StateAnswer>(alert.id, options, context, "/state");
  if (options.json === true) {
    printJson(context.output, { ...alert, state });
    return;
  }
  const { groups, failure, ...rest } = state;
  const rows = Object.entries({ ...alert, ...rest, status: statusOf(state), failure: failure?.reason ?? null })
    .filter(([, value]) => value !== null)
    .map(([field, value]) => [field, typeof value === "string" ? value.trimEnd() : JSON.stringify(value)]);
  printTable(["FIELD", "VALUE"], rows, context);
  if (groups.length === 0) return;
  print(context.output, "");
  const found = groups.map(({ labels, value, status, since }) => [status, since, labelsOf(labels), value ?? ""]);
  printTable(["STATE", "SINCE", "GROUP", "VALUE"], found, context);
}

export interface TestOptions extends CommandOptions {
  readonly to?: string;
}

/** Prints what an alert would have told between two times. */
export async function testAlert(name: string, options: TestOptions, context: CliContext): Promise<void> {
  const nowMs = Date.now();
  const { from = "1h", to = "0s" } = options;
  const range = { from: readPast("--from", from, nowMs), to: readPast("--to", to, nowMs) };
  const { runs, notices } = await call<TestAnswer>(name, options, context, "/test", post(range));
  if (options.json === true) {
    printJson(context.output, { ...range, runs, notices });
    return;
  }
  const rows = notices.map(({ at, status, labels, message }) => [at, status, labelsOf(labels), message]);
  if (rows.length > 0) printTable(["AT", "STATUS", "GROUP", "MESSAGE"], rows, context);
  print(context.output, `${count(runs, "run")}, ${count(notices.length, "notice")}`);
}

export interface SilenceOptions extends ServiceCommandOptions {
  readonly for: string;
  readonly comment?: string;
}

/** Holds an alert's notices back for a while. */
export async function silenceAlert(name: string, options: SilenceOptions, context: CliContext): Promise<void> {
  const ms = parseLifetime(options.for);
  if (ms === undefined || ms === 0) {
    throw new CliError(`--for ${options.for}: a time is a number and s, m, h, d or w, such as 2h`);
  }
  const until = new Date(Date.now() + ms).toISOString();
  const alert = await call<AlertAnswer>(name, options, context, "/silence", post({ until, comment: options.comment }));
  report(alert, `The alert ${alert.name} is silent until ${alert.silenced_until}.`, options, context);
}

/** Ends a silence. */
export async function unsilenceAlert(name: string, options: CommandOptions, context: CliContext): Promise<void> {
  const alert = await call<AlertAnswer>(name, options, context, "/silence", post({}));
  report(alert, `The alert ${alert.name} is no longer silent.`, options, context);
}

/** Turns an alert on or off. */
export async function enableAlert(
  name: string,
  enabled: boolean,
  options: CommandOptions,
  context: CliContext,
): Promise<void> {
  const request = { ...post({ enabled }), method: "PUT" };
  const alert = await call<AlertAnswer>(name, options, context, "", request);
  report(alert, `The alert ${alert.name} is ${enabled ? "on" : "off"}.`, options, context);
}

/** Deletes an alert. */
export async function deleteAlert(name: string, options: CommandOptions, context: CliContext): Promise<void> {
  const alert = await call<AlertAnswer>(name, options, context);
  const path = `/api/alerts/${alert.id}`;
  const response = await createServiceClient(options, context).send(path, { method: "DELETE" });
  if (!response.ok) throw new CliError(await describeAnswer(response));
  report({ deleted: alert.id }, `The alert ${alert.name} was deleted.`, options, context);
}

/**
 * Makes the alerts of a file or a folder, and changes those of a service with their names to what the files say. The
 * files are all read before the first change.
 */
export async function applyAlerts(path: string, options: ServiceCommandOptions, context: CliContext): Promise<void> {
  const files = await loadAlerts(resolve(context.workingDir, path));
  const alerts = await readAnswer<readonly AlertAnswer[]>("/api/alerts", options, context);
  const isKnown = (name: string) => alerts.some((alert) => alert.name === name);
  const omitted = Object.fromEntries(Object.keys(AlertDocument.properties).map((field) => [field, null]));
  const applied: object[] = [];
  for (const { path: file, form } of files) {
    const request = isKnown(form.name) ? { ...post({ ...omitted, ...form }), method: "PUT" } : post(form);
    const alert = await call<AlertAnswer>(isKnown(form.name) ? form.name : "", options, context, "", request).catch(
      (error: unknown) => {
        if (error instanceof CliError) throw new CliError(`${file}: ${error.message}`, error.exitCode);
        throw error;
      },
    );
    const action = isKnown(form.name) ? "changed" : "created";
    applied.push({ action, name: alert.name, id: alert.id });
    if (options.json !== true) print(context.output, `${action} ${alert.name}`);
  }
  if (options.json === true) printJson(context.output, applied);
  else print(context.output, `${count(applied.length, "alert")} applied`);
}

/** Calls the API about an alert by its id or name, or about none. */
function call<T>(
  idOrName: string,
  options: ServiceCommandOptions,
  context: CliContext,
  below = "",
  request?: RequestInit,
): Promise<T> {
  const own = idOrName === "" ? "" : `/${encodeURIComponent(idOrName)}`;
  return readAnswer<T>(`/api/alerts${own}${below}`, options, context, request);
}

function post(body: object): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

function report(answer: object, text: string, options: ServiceCommandOptions, context: CliContext): void {
  if (options.json === true) printJson(context.output, answer);
  else print(context.output, text);
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

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
