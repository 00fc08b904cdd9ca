import type { Generated } from "kysely";
import type { RedactionPolicy } from "../access/scope.ts";

/** The metadata's tables, as the newest migration leaves them. */
export interface MetadataSchema {
  readonly tokens: TokenTable;
  readonly endpoints: EndpointTable;
  readonly endpoint_versions: EndpointVersionTable;
  readonly sources: SourceTable;
  readonly audit_outbox: AuditOutboxTable;
  readonly backends: BackendTable;
  readonly rules: RuleTable;
  readonly views: ViewTable;
  readonly alerts: AlertTable;
  readonly alert_states: AlertStateTable;
}

export interface TokenTable {
  /** Short and public: what people name a token by. */
  readonly id: string;
  /** SHA-256 of the token, in hexadecimal. The token itself is kept nowhere. */
  hash: string;
  readonly description: string;
  /** JSON: an array of scopes. */
  readonly scopes: string;
  /** JSON: an object of pinned parameters. */
  readonly pins: string;
  /** JSON: an object of limits by name. */
  readonly budget: string;
  readonly redaction: RedactionPolicy;
  /** Milliseconds since 1970, UTC, as are the other times. */
  readonly created_at: number;
  readonly expires_at: number | null;
  revoked_at: number | null;
  rotated_at: number | null;
  /** The hash of the value before the last rotation, while that is still accepted. */
  previous_hash: string | null;
  previous_valid_until: number | null;
  /** The public part of the token's key file, as PEM. */
  readonly public_key: string | null;
  /** The address that this file sends its holder to. */
  readonly token_uri: string | null;
}

/** Sources that the API made. */
export interface SourceTable {
  readonly name: string;
  /** JSON: the source as a file would say it. */
  document: string;
  readonly created_at: number;
  updated_at: number;
}

/** Where events are sent to. */
export interface BackendTable {
  /** In the order in which they were made. */
  readonly number: Generated<number>;
  readonly id: string;
  /** JSON: all that is not secret. */
  document: string;
  /** Sealed: how it is reached. */
  config: string;
}

/** Which events are sent to a backend. */
export interface RuleTable {
  readonly number: Generated<number>;
  readonly id: string;
  backend_id: string;
  /** JSON. */
  document: string;
}

/** Queries that are run by schedule, and whom their rows concern. */
export interface AlertTable {
  /** In the order in which they were made. */
  readonly number: Generated<number>;
  readonly id: string;
  /** Sealed, since the addresses of destinations may be secrets. */
  document: string;
}

/** The outcome of an alert's runs so far. */
export interface AlertStateTable {
  readonly id: string;
  /** JSON. */
  state: string;
}

/** Actions of commands on the data folder, until a service takes them into the audit. */
export interface AuditOutboxTable {
  readonly id: Generated<number>;
  readonly at: number;
  /** JSON: the event. */
  readonly event: string;
}

/** Explorer states under names that people chose; rows are added and removed, never changed. */
export interface ViewTable {
  readonly id: string;
  readonly name: string;
  readonly endpoint: string;
  readonly state: string;
  readonly author: string;
  /** 0 or 1. */
  readonly is_shared: number;
  readonly created_at: number;
}

/** Endpoints that the API manages, as they are now. */
export interface EndpointTable {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  /** JSON, as in `endpoint_versions`. */
  readonly document: string;
  readonly contract: string;
}

/** Every version of every endpoint, those in files among them; rows are added and never changed. */
export interface EndpointVersionTable {
  readonly endpoint_id: string;
  readonly number: number;
  readonly name: string;
  readonly created_at: number;
  readonly author: string;
  readonly action: string;
  readonly rollback_to: number | null;
  /** JSON: an array of names of fields. */
  readonly changed: string;
  readonly document: string;
  readonly contract: string;
}
