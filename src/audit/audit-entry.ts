import { createHmac, randomUUID } from "node:crypto";
import type { EventValue, LogEvent } from "../engines/contract/query-engine.ts";
import type { AuditChange, AuditEvent, AuditRefusal, AuditRun } from "./audit-event.ts";
import { type MaskValue, maxReadLength } from "./mask-value.ts";

/** A pending event, without anything that could be large. */
export interface AuditEntry {
  /** When it happened, or the first of those that were counted together, in milliseconds since 1970. */
  readonly atMs: number;
  readonly event: AuditChange | HeldRun | AuditRefusal;
  /** The number of combined events. */
  count: number;
  /** The duration of the longest of them. */
  durationMs: number;
}

/** A run with its parameters cut to what is read of them. */
interface HeldRun extends Omit<AuditRun, "parameters"> {
  readonly parameters: readonly (readonly [string, string])[];
  readonly query: { readonly language: "sql" | "lql"; readonly digest: string } | undefined;
}

/** Makes the digest of a query's text: equal texts have equal digests, and texts cannot be guessed without the key. */
export type DigestText = (text: string) => string;

/** A digest of 128 bits with a key. */
export function createDigest(key: Uint8Array): DigestText {
  return (text) => createHmac("sha256", key).update("audit").update(text).digest("hex").slice(0, 32);
}

/** The part of an event that is retained until it is written. */
export function holdEvent(event: AuditEvent, atMs: number, digest: DigestText): AuditEntry {
  if (!isRun(event)) return { atMs, event, count: 1, durationMs: 0 };
  const { parameters, callKey: _, ...run } = event;
  const held = { ...run, parameters: pickParameters(event), query: pickQuery(event, digest) };
  return { atMs, event: held, count: 1, durationMs: event.durationMs };
}

function isRun(event: AuditEvent): event is AuditRun {
  return event.action === "endpoint.run" || event.action === "query.run";
}

/**
 * The declared parameters and `limit`. `api_key` is omitted: it may carry a token whatever the endpoint uses it for.
 */
function pickParameters({ endpoint, parameters }: AuditRun): readonly (readonly [string, string])[] {
  const picked: (readonly [string, string])[] = [];
  for (const { name } of [...(endpoint?.parameters ?? []), { name: "limit" }]) {
    const value = name === "api_key" ? undefined : parameters.get(name);
    if (value !== undefined && value !== null) picked.push([name, holdText(value)]);
  }
  return picked;
}

/** A text too long to be shown is replaced by a placeholder with its length. */
function holdText(value: unknown): string {
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return text.length > maxReadLength ? `(${text.length} characters)` : text;
}

function pickQuery({ endpoint, parameters }: AuditRun, digest: DigestText): HeldRun["query"] {
  for (const language of ["sql", "lql"] as const) {
    const text = parameters.get(language);
    const isDeclared = endpoint?.parameters.some(({ name }) => name === language) ?? false;
    if (typeof text === "string" && text.trim() !== "" && !isDeclared) return { language, digest: digest(text) };
  }
  return undefined;
}

/** The fields of an event in the log and the store: none empty, all of them masked. */
export type AuditFields = Readonly<Record<string, EventValue>>;

/** The recorded form of an entry. Takes about ten microseconds, so it is made in the background. */
export function describeEntry(
  entry: AuditEntry,
  mask: MaskValue,
): { readonly message: string; readonly fields: AuditFields } {
  const { event, count } = entry;
  const common = { action: event.action, outcome: event.error ?? "ok", count };
  switch (event.action) {
    case "endpoint.run":
    case "query.run":
      return describeRun(event, entry, common, mask);
    case "access.refused":
    case "change.unconfirmed":
      return {
        message: describeRefusal(event),
        fields: compact({
          ...common,
          actor: event.actor,
          status: event.status,
          method: event.method,
          route: event.route,
        }),
      };
    default:
      return describeChange(event, common, mask);
  }
}

function describeRefusal({ action, actor = "somebody", method, route, error }: AuditRefusal): string {
  const what = action === "access.refused" ? "was refused" : "may have changed something";
  return `${actor} ${what} at ${method} ${route}: ${error}`;
}

function describeRun(
  event: HeldRun,
  { durationMs, count }: AuditEntry,
  common: AuditFields,
  mask: MaskValue,
): { readonly message: string; readonly fields: AuditFields } {
  const { endpoint, version, query, parameters } = event;
  const name = endpoint === undefined ? "a query" : `${endpoint.name}${version === undefined ? "" : `@${version}`}`;
  const times = count === 1 ? "" : ` ${count} times`;
  const outcome = event.error ?? (event.rows === undefined ? "ok" : `${event.rows} rows`);
  const masked = Object.fromEntries(parameters.map(([key, value]) => [key, mask(value)]));
  return {
    message: `${event.actor} ran ${name}${times}: ${outcome}`,
    fields: compact({
      ...common,
      actor: event.actor,
      endpoint: endpoint?.name,
      endpoint_id: endpoint?.id,
      version,
      surface: event.surface,
      parameters: parameters.length === 0 ? undefined : JSON.stringify(masked),
      query_language: query?.language,
      query_digest: query?.digest,
      redacted: event.redactsPii,
      cache: event.cache,
      status: event.status,
      rows: event.rows,
      duration_ms: Math.round(durationMs * 100) / 100,
    }),
  };
}

function describeChange(
  event: AuditChange,
  common: AuditFields,
  mask: MaskValue,
): { readonly message: string; readonly fields: AuditFields } {
  const { actor, action, target, targetId, version, details = {} } = event;
  const shown = target === undefined ? undefined : mask(target);
  const masked = Object.fromEntries(
    Object.entries(details).map(([name, value]) => [name, typeof value === "string" ? mask(value) : value]),
  );
  const number = version === undefined ? "" : `@${version}`;
  return {
    message:
      `${actor}: ${action} ${shown ?? ""}${number}`.trimEnd() + (event.error === undefined ? "" : `: ${event.error}`),
    fields: compact({
      ...common,
      actor,
      target: shown,
      target_id: targetId,
      version,
      details: Object.keys(masked).length === 0 ? undefined : JSON.stringify(masked),
    }),
  };
}

function compact(fields: Readonly<Record<string, EventValue | undefined>>): AuditFields {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined && value !== "");
  return Object.fromEntries(kept) as AuditFields;
}

/** The entry as an event of the source. */
export function toLogEvent({ atMs, event }: AuditEntry, message: string, fields: AuditFields): LogEvent {
  const id = "entryId" in event ? event.entryId : undefined;
  return {
    id: id ?? randomUUID(),
    hasGeneratedId: id === undefined,
    timestampUs: BigInt(atMs) * 1000n,
    eventMessage: message,
    fields: { metadata: fields },
  };
}
