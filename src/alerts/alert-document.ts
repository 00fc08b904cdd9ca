import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Backend } from "../drains/backend.ts";
import { mask, maskUrl, type Report, readUrl } from "../drains/backend-document.ts";
import { isUuid } from "../endpoints/definition/header.ts";
import { createDocumentForm, type FieldProblems } from "../shared/documents/document-form.ts";
import { omitUndefined } from "../shared/omit-undefined.ts";
import type { Alert, AlertDestination, AlertPlan, AlertQuery } from "./alert.ts";
import { AlertDocument, type AlertForm, destinationTypes, type SentDestination } from "./alert-form.ts";
import { findCronProblem, readDuration, runsWithin } from "./schedule.ts";

const form = createDocumentForm(AlertDocument);
/** Fields of an alert as it is shown; they are ignored when sent back. */
const shownFields = [
  "id",
  "token",
  "backends",
  "origin",
  "file",
  "silenced_until",
  "silence_comment",
  "inserted_at",
  "updated_at",
];
/** Fields of which an alert has one, and others that belong to it. */
const alternatives = [
  { fields: ["endpoint", "sql", "lql", "query"], others: ["language"] },
  { fields: ["every", "cron"], others: ["zone"] },
] as const;

/** The shortest time between two runs. */
const leastEveryMs = 10_000;
/** The same for the reference's form, in minutes. */
const leastCronMinutes = 5;

export interface FormReaders {
  readonly findBackend: (id: string) => Pick<Backend, "id"> | undefined;
}

/** Reads an alert's document; omitted fields are taken from `before`. All problems are reported together. */
export function readAlert(
  sent: Readonly<Record<string, unknown>>,
  readers: FormReaders,
  before?: AlertForm,
): { readonly form: AlertForm } | { readonly problems: FieldProblems } {
  const own = Object.fromEntries(Object.entries(sent).filter(([name]) => !shownFields.includes(name)));
  const merged = merge(own, before);
  const read = form.read(merged);
  if ("problems" in read) {
    const { name } = merged;
    const missing = name === undefined || name === null ? { name: ["is missing"] } : {};
    return { problems: { ...missing, ...read.problems } };
  }
  const problems = new Map<string, string[]>();
  const report: Report = (field, message) => problems.set(field, [...(problems.get(field) ?? []), message]);
  const alert = { ...(read.document as AlertForm), ...readAddresses(read.document as AlertForm, before, report) };
  checkQueryFields(alert, report);
  checkSchedule(alert, report);
  checkCondition(alert, report);
  for (const [field, ids] of [
    ["notify", alert.notify ?? []],
    ["backend_ids", alert.backend_ids ?? []],
  ] as const) {
    for (const id of ids) {
      if (typeof id !== "string" || readers.findBackend(id) !== undefined) continue;
      report(field, `${JSON.stringify(id.slice(0, 100))} is no backend; GET /api/backends lists them`);
    }
  }
  return problems.size === 0 ? { form: alert } : { problems: Object.fromEntries(problems) };
}

function merge(sent: Readonly<Record<string, unknown>>, before: AlertForm | undefined): Record<string, unknown> {
  const kept: Record<string, unknown> = { ...before };
  for (const { fields, others } of alternatives) {
    const chosen = fields.filter((field) => sent[field] !== undefined && sent[field] !== null);
    if (chosen.every((field) => kept[field] !== undefined)) continue;
    for (const field of [...fields, ...others]) delete kept[field];
  }
  return { ...kept, ...sent };
}

function checkQueryFields(alert: AlertForm, report: Report): void {
  if (alert.name === undefined) report("name", "is missing");
  const { fields } = alternatives[0];
  const given = fields.filter((field) => alert[field] !== undefined);
  if (given.length === 0) report("query", `is missing: one of ${fields.join(", ")}`);
  for (const field of given.slice(1)) report(field, `an alert has one of ${fields.join(", ")}`);
  if (alert.language !== undefined && alert.query === undefined) report("language", "belongs to query");
  if (alert.language === "pg_sql") report("language", "queries are GoogleSQL here: send bq_sql or lql");
}

function checkSchedule({ every, cron, zone, query }: AlertForm, report: Report): void {
  if (every !== undefined && cron !== undefined) report("cron", "an alert has every or cron");
  if (every === undefined && cron === undefined) report("cron", "is missing: one of every, cron");
  if (every !== undefined && readDuration(every) < leastEveryMs) {
    report("every", `must be ${leastEveryMs / 1_000} seconds or more`);
  }
  if (zone !== undefined && cron === undefined) report("zone", "belongs to cron");
  if (cron === undefined) return;
  const problem = findCronProblem(cron, zone ?? "UTC");
  if (problem === "zone") report("zone", "must be a name of a time zone, such as Europe/Berlin");
  else if (problem === "cron") report("cron", "must be five fields of a cron pattern, such as */5 * * * *, that runs");
  else if (query !== undefined && runsWithin(cron, leastCronMinutes)) {
    report(
      "cron",
      `must have ${leastCronMinutes} minutes or more between two runs; alerts with sql may run more often`,
    );
  }
}

function checkCondition({ when = {}, missing }: AlertForm, report: Report): void {
  const given = (["column", "op", "value"] as const).filter((field) => when[field] !== undefined);
  const isOfRows = when.rows !== undefined || given.length === 0;
  if (when.rows !== undefined && given.length > 0) report("when", "has either rows, or column, op and value");
  else if (!isOfRows && given.length < 3) report("when", "of a column has column, op and value");
  else if (typeof when.value === "string" && when.op !== "=" && when.op !== "!=") {
    report("when", "compares a text by = or != only");
  }
  if (missing === "fire" && isOfRows) report("missing", "is for a condition on a column: rows are a reason here");
}

type Addresses = Pick<AlertForm, "notify" | "webhook_notification_url" | "slack_hook_url">;

/** Checks the addresses of the alert's own destinations; a mask stands for the stored secret. */
function readAddresses(sent: AlertForm, before: AlertForm | undefined, report: Report): Addresses {
  const { webhook_notification_url: webhook, slack_hook_url: slack, notify } = sent;
  const known = (before?.notify ?? []).filter((each) => typeof each !== "string");
  return omitUndefined({
    webhook_notification_url: webhook && readOwnUrl("webhook_notification_url", webhook, before, maskUrl, report),
    slack_hook_url: slack && readOwnUrl("slack_hook_url", slack, before, maskPath, report),
    notify: notify?.map((each) => (typeof each === "string" ? each : readDestination(each, known, report))),
  });
}

function readOwnUrl(
  field: "webhook_notification_url" | "slack_hook_url",
  sent: string,
  before: AlertForm | undefined,
  show: (url: string) => string,
  report: Report,
): string {
  const stored = before?.[field];
  if (stored !== undefined && sent === show(stored)) return stored;
  if (sent.includes(mask)) report(field, "must be sent again, since the address is another");
  return readUrl(field, sent, undefined, report);
}

const destinationFields: Readonly<Record<SentDestination["type"], readonly string[]>> = {
  webhook: ["type", "url", "secret"],
  slack: ["type", "url"],
  alertmanager: ["type", "url"],
  pagerduty: ["type", "key", "url"],
  email: ["type", "to"],
};

/** A mailbox of RFC 5321, without what needs quotes. */
const mailAddress = /^(?=.{3,254}$)[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/;
const maxAddresses = 20;

function readDestination(sent: SentDestination, known: readonly SentDestination[], report: Report): SentDestination {
  const refuse = (message: string) => report("notify", message);
  const fields = destinationTypes.includes(sent.type) ? destinationFields[sent.type] : undefined;
  if (fields === undefined) {
    refuse(`type: must be one of ${destinationTypes.join(", ")}`);
    return sent;
  }
  const stored = known.find((each) => isDeepStrictEqual(showDestination(each), sent));
  if (stored !== undefined) return stored;
  for (const [field, value] of Object.entries(sent)) {
    if (!fields.includes(field)) refuse(`${field.slice(0, 100)}: fields of ${sent.type} are ${fields.join(", ")}`);
    else if (field === "to") continue;
    else if (typeof value !== "string" || value === "" || value.length > 4_096) {
      refuse(`${field}: must be a text of 1 to 4096 characters`);
    } else if (value.includes(mask)) refuse(`${field}: must be sent again, since the destination is another`);
  }
  if (sent.type === "pagerduty" && sent.key === undefined) refuse("key: is missing");
  if (sent.type === "email") {
    const { to } = sent;
    const isList = Array.isArray(to) && to.length > 0 && to.length <= maxAddresses;
    if (!isList || !to.every((each: unknown) => typeof each === "string" && mailAddress.test(each))) {
      refuse(`to: must be a list of 1 to ${maxAddresses} addresses, as ops@example.com`);
    }
  } else if (sent.type !== "pagerduty" || sent.url !== undefined) {
    readUrl("notify", sent.url, undefined, (field, message) => report(field, `url: ${message}`));
  }
  return sent;
}

/** A destination as the API shows it: without its secrets. */
function showDestination({ type, url, secret, key, to }: SentDestination): SentDestination {
  const shownUrl = url && (type === "slack" ? maskPath(url) : maskUrl(url));
  return { type, ...omitUndefined({ to, url: shownUrl, secret: secret && mask, key: key && mask }) };
}

/** The path of such an address is its secret. */
function maskPath(url: string): string {
  return `${new URL(url).origin}/${mask}`;
}

/** An alert as the API shows it: with every field of the reference, and without secrets. */
export function showAlert(alert: Alert) {
  const { id, form, file, silencedUntilMs, silenceComment, createdAtMs, updatedAtMs } = alert;
  const { webhook_notification_url: webhook, slack_hook_url: slack, notify, ...rest } = form;
  return {
    id,
    token: id,
    description: null,
    query: null,
    language: form.query === undefined ? null : "bq_sql",
    cron: null,
    enabled: true,
    ...rest,
    ...omitUndefined({ notify: notify?.map((each) => (typeof each === "string" ? each : showDestination(each))) }),
    webhook_notification_url: webhook === undefined ? null : maskUrl(webhook),
    slack_hook_url: slack === undefined ? null : maskPath(slack),
    backends: form.backend_ids ?? [],
    origin: file === undefined ? "api" : "file",
    file: file ?? null,
    silence_comment: silenceComment ?? null,
    silenced_until: silencedUntilMs === undefined ? null : new Date(silencedUntilMs).toISOString(),
    inserted_at: new Date(createdAtMs).toISOString(),
    updated_at: new Date(updatedAtMs).toISOString(),
  };
}

const pagerDuty = "https://events.pagerduty.com/v2/enqueue";

/** The alert in the terms of its runs. */
export function planOf({ id, form, silencedUntilMs }: Omit<Alert, "createdAtMs" | "updatedAtMs">): AlertPlan {
  const { every, cron = "", zone = "UTC", when = {} } = form;
  const ms = every === undefined ? 0 : readDuration(every);
  return {
    id,
    name: form.name,
    query: queryOf(form),
    parameters: new Map(Object.entries(form.parameters ?? {})),
    schedule:
      every === undefined ? { kind: "cron", pattern: cron, zone } : { kind: "every", ms, offsetMs: offsetOf(id, ms) },
    condition: when,
    forMs: when.for === undefined ? 0 : readDuration(when.for),
    remindMs: form.remind === undefined ? undefined : readDuration(form.remind),
    groupBy: form.group_by ?? [],
    firesOnMissing: form.missing === "fire",
    severity: form.severity ?? "warning",
    message: form.message ?? "",
    destinations: destinationsOf(form),
    isEnabled: form.enabled ?? true,
    silencedUntilMs,
  };
}

function queryOf({ endpoint, sql, lql, query = "", language }: AlertForm): AlertQuery {
  if (endpoint !== undefined) return { kind: "endpoint", text: endpoint };
  if (lql !== undefined) return { kind: "lql", text: lql };
  if (sql !== undefined) return { kind: "sql", text: sql };
  return { kind: language === "lql" ? "lql" : "sql", text: query };
}

/** Alerts that run equally often do not all run at the same moment. */
function offsetOf(id: string, ms: number): number {
  return createHash("sha256").update(id).digest().readUInt32BE(0) % ms;
}

function destinationsOf(form: AlertForm): readonly AlertDestination[] {
  const { notify = [], backend_ids: backends = [], webhook_notification_url: webhook, slack_hook_url: slack } = form;
  return [
    ...[...new Set([...notify.filter((each) => typeof each === "string"), ...backends])].map((id) => {
      return { type: "backend", id: isUuid(id) ? id.toLowerCase() : id } as const;
    }),
    ...notify.flatMap((each) => (typeof each === "string" ? [] : toDestinations(each))),
    ...(webhook === undefined ? [] : [{ type: "webhook", url: webhook } as const]),
    ...(slack === undefined ? [] : [{ type: "slack", url: slack } as const]),
  ];
}

function toDestinations({ type, url = "", secret, key = "", to = [] }: SentDestination): readonly AlertDestination[] {
  switch (type) {
    case "webhook":
      return [{ type, url, ...(secret === undefined ? {} : { secret }) }];
    case "slack":
    case "alertmanager":
      return [{ type, url }];
    case "pagerduty":
      return [{ type, url: url === "" ? pagerDuty : url, key }];
    case "email":
      // Each address gets a mail of its own: one that is refused keeps no other from it, and nobody learns of others.
      return [...new Set(to)].map((each) => ({ type, to: each }));
  }
}

/** True for an alert that is shown with masks in place of secrets of its own. */
export function hidesSecrets(shown: Readonly<Record<string, unknown>>): boolean {
  return JSON.stringify([shown.notify, shown.webhook_notification_url, shown.slack_hook_url]).includes(mask);
}
