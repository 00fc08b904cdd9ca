import { createHash, createHmac } from "node:crypto";
import type { Backend } from "../../drains/backend.ts";
import { makeRequest as drainRequest, withPath } from "../../drains/destinations/make-request.ts";
import type { DrainRequest } from "../../drains/destinations/send-request.ts";
import { parseJson } from "../../engines/contract/parse-json.ts";
import type { EventValue } from "../../engines/contract/query-engine.ts";
import type { AlertDestination, AlertPlan } from "../alert.ts";
import { isOpening, type Notice } from "../alert-state.ts";
import { cutText } from "../cut-text.ts";

type Named = Pick<AlertPlan, "id" | "name" | "severity">;

/** The source that notices to backends come from. */
const noticeSource = "alerts";
/** Such destinations resolve by themselves what is not reported again: what fires is reported once, and at its end. */
const openForMs = 30 * 86_400_000;
const maxSummaryLength = 1_000;
const maxSlackRows = 2_500;

export interface RequestParts {
  /** Absent where it was removed. */
  readonly backend: Backend | undefined;
  readonly nowMs: number;
  /** Names this service. */
  readonly serviceId: string;
}

/** Names a destination, and reveals nothing of its secrets. */
export function destinationKey(destination: AlertDestination): string {
  if (destination.type === "backend") return destination.id;
  return createHash("sha256").update(JSON.stringify(destination)).digest("hex").slice(0, 16);
}

/** A notice in the form of a destination; undefined for a backend that is no more. */
export function makeRequest(
  alert: Named,
  notice: Notice,
  destination: Exclude<AlertDestination, { readonly type: "email" }>,
  { backend, nowMs, serviceId }: RequestParts,
): DrainRequest | undefined {
  switch (destination.type) {
    case "backend":
      return (
        backend && drainRequest(backend, { source: noticeSource, events: [toEvent(alert, notice)], hops: [serviceId] })
      );
    case "webhook":
      return post(destination.url, writeNotice(alert, notice), notice, (body) => {
        return signed(body, Math.floor(nowMs / 1_000), destination.secret);
      });
    case "slack":
      return post(destination.url, JSON.stringify({ text: writeSlack(alert, notice) }), notice);
    case "alertmanager":
      return post(withPath(destination.url, "/api/v2/alerts"), writeAlertmanager(alert, notice, nowMs), notice);
    case "pagerduty":
      return post(destination.url, writePagerDuty(alert, notice, destination.key), notice);
  }
}

function post(
  url: string,
  body: string,
  { id }: Notice,
  headersOf: (body: string) => Record<string, string> = () => ({}),
): DrainRequest {
  return { url, headers: { "idempotency-key": id, ...headersOf(body) }, body, isPacked: false };
}

/** The signature covers the time, so that a receiver can refuse what is sent again later. */
function signed(body: string, seconds: number, secret: string | undefined): Record<string, string> {
  const timestamp = { "logweir-timestamp": String(seconds) };
  if (secret === undefined) return timestamp;
  const digest = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  return { ...timestamp, "logweir-signature": `v1=${digest}` };
}

/** The fields of a notice, without its rows. */
function fieldsOf(alert: Named, notice: Notice) {
  const { id, incident, status, isReminder, labels, message, sinceMs, atMs, rowCount } = notice;
  return {
    id,
    incident,
    status,
    alert: { id: alert.id, name: alert.name, severity: alert.severity },
    labels,
    message,
    since: new Date(sinceMs).toISOString(),
    at: new Date(atMs).toISOString(),
    is_reminder: isReminder,
    row_count: rowCount,
  };
}

/** Rows are `result`, as in answers of queries, with every digit of theirs. */
function writeNotice(alert: Named, notice: Notice): string {
  const fields = JSON.stringify(fieldsOf(alert, notice)).slice(0, -1);
  return `${fields},"value":${notice.value ?? "null"},"result":${notice.rows}}`;
}

function toEvent(alert: Named, notice: Notice) {
  const { id, message, at: _, ...fields } = fieldsOf(alert, notice);
  const rows = parseJson(notice.rows) as EventValue;
  return {
    id,
    hasGeneratedId: false,
    timestampUs: BigInt(notice.atMs) * 1_000n,
    eventMessage: message,
    fields: { ...fields, result: rows } as Record<string, EventValue>,
  };
}

const marks: Readonly<Record<Notice["status"], string>> = {
  firing: ":rotating_light: Firing",
  resolved: ":white_check_mark: Resolved",
  failing: ":warning: Cannot run",
  working: ":white_check_mark: Runs again",
};

/** Rows are texts of senders: neither they nor names may mention anyone, or end the block of code. */
function writeSlack({ name, severity }: Named, { status, isReminder, message, rows }: Notice): string {
  const title = `${marks[status]}${isReminder ? " (reminder)" : ""}: *${escapeSlack(name)}* (${severity})`;
  const shown = rows === "[]" ? "" : `\n\`\`\`${escapeSlack(cutText(rows, maxSlackRows))}\`\`\``;
  return `${title}\n${escapeSlack(message)}${shown}`;
}

function escapeSlack(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("`", "'");
}

/** Alerts are distinguished by their labels; those of groups give way to its own. */
function writeAlertmanager(alert: Named, notice: Notice, nowMs: number): string {
  const { labels, status, message, sinceMs, atMs } = notice;
  const own = { alertname: alert.name, severity: alert.severity, alert_id: alert.id };
  const failure = status === "failing" || status === "working" ? { problem: "cannot_run" } : {};
  const named = Object.entries(labels).map(([name, value]) => [labelName(name), value] as const);
  return JSON.stringify([
    {
      labels: { ...Object.fromEntries(named), ...own, ...failure },
      annotations: { summary: cutText(message, maxSummaryLength) },
      startsAt: new Date(sinceMs).toISOString(),
      endsAt: new Date(isOpening(status) ? nowMs + openForMs : atMs).toISOString(),
    },
  ]);
}

function labelName(column: string): string {
  return column.replaceAll(/[^a-zA-Z0-9_]/g, "_").replace(/^(?=\d)/, "_");
}

function writePagerDuty(alert: Named, notice: Notice, key: string): string {
  const { status, incident, message, labels, sinceMs } = notice;
  return JSON.stringify({
    routing_key: key,
    event_action: isOpening(status) ? "trigger" : "resolve",
    dedup_key: incident,
    payload: {
      summary: cutText(message, maxSummaryLength),
      source: alert.name,
      severity: alert.severity,
      timestamp: new Date(sinceMs).toISOString(),
      custom_details: labels,
    },
  });
}
