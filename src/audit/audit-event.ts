/** An entry of the audit: a change of something that is managed, a run of a query, a refused call. */
export type AuditEvent = AuditChange | AuditRun | AuditRefusal;

/** How much is recorded: nothing, changes and refusals, or runs too. */
export type AuditLevel = (typeof auditLevels)[number];

export const auditLevels = ["off", "changes", "all"] as const;

/** Names of changes: the object, and what was done to it. */
export type AuditedChange =
  | `endpoint.${"create" | "update" | "delete" | "rollback"}`
  | `token.${"create" | "update" | "rotate" | "revoke"}`
  | `session.${"create" | "end"}`
  | `source.${"create" | "update" | "delete"}`
  | "events.delete"
  | `backend.${"create" | "update" | "delete" | "test"}`
  | `rule.${"create" | "update" | "delete"}`
  | `alert.${"create" | "update" | "delete" | "silence" | "firing" | "resolved" | "failing" | "working"}`
  | `view.${"create" | "delete"}`
  | "cache.clear"
  | `store.${"backup" | "read"}`
  | "reload";

/** A change by an actor. */
export interface AuditChange {
  readonly action: AuditedChange;
  /**
   * The public id of the token; `alerts` for what alerts report and run, `files` where files were read again, `command` for the command line on the
   * data folder, `upgrade` for what a release changed by itself.
   */
  readonly actor: string;
  /** Name of what was changed, or its id where it has no name. */
  readonly target?: string;
  readonly targetId?: string;
  /** The version that the change made. */
  readonly version?: number;
  /** The code of the error where it failed; a change that was made has none. */
  readonly error?: string;
  /** When it was done, in milliseconds since 1970; now unless given. */
  readonly atMs?: number;
  /** Where it may be recorded again, by another service too: it is stored once under this id. */
  readonly entryId?: string;
  /** Other details by a name in lower case; texts are redacted and truncated. */
  readonly details?: Readonly<Record<string, string | number | boolean>>;
}

/** The endpoint that ran, as the audit records it; an `EndpointDefinition` is one. */
export interface AuditedEndpoint {
  readonly id: string;
  readonly name: string;
  /** The parameters whose values are recorded. */
  readonly parameters: readonly { readonly name: string }[];
}

/** The protocol by which an endpoint was run, other than its own address. */
export type AuditSurface = "mcp" | "bigquery" | "loki" | "alert";

/** A run of an endpoint, or of an owner's own query over the sources. */
export interface AuditRun {
  readonly action: "endpoint.run" | "query.run";
  /** The public id of the token. */
  readonly actor: string;
  /** Absent for calls of the endpoint's own address. */
  readonly surface?: AuditSurface;
  /** Absent for `query.run`. */
  readonly endpoint?: AuditedEndpoint;
  readonly version?: number;
  /**
   * By name, as the call's; the text of `sql` and `lql` is never kept, only which of the two it was and a keyed
   * digest.
   */
  readonly parameters: ReadonlyMap<string, unknown>;
  readonly redactsPii: boolean;
  readonly cache: "hit" | "miss" | "none";
  /** HTTP status; of an error that was answered in another protocol, the one that HTTP would have. */
  readonly status: number;
  /** The code of the error where it failed. */
  readonly error?: string;
  /** Rows of the answer, if known. */
  readonly rows?: number;
  readonly durationMs: number;
  /**
   * Runs of one actor with the same key differ in nothing but their time, and become one event of the second with a
   * count. For calls that cost little; without it each run is an event of its own.
   */
  readonly callKey?: string;
}

/**
 * A call without a valid token, or with one that may not do this; or one that changes something, and ended before it
 * was known whether the change was made. Equal ones within one second become one event with a count.
 */
export interface AuditRefusal {
  readonly action: "access.refused" | "change.unconfirmed";
  /** The public id of the token; absent where none was valid. */
  readonly actor?: string;
  readonly error: string;
  readonly status: number;
  readonly method: string;
  /** The route's pattern. */
  readonly route: string;
}
