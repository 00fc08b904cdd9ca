import { ServiceError } from "../../shared/errors.ts";
import { messageOf } from "../../shared/message-of.ts";
import { UserError } from "../../shared/user-error.ts";
import type { DatabasePlace } from "./database-url.ts";

const retryAfterSeconds = 2;
const lockTimeout = "55P03";
const readOnly = "25006";

/** The error for operations that need the database while it is unavailable. */
export function metadataUnavailable(message: string, cause?: unknown): ServiceError {
  return new ServiceError("metadata_unavailable", message, {
    retryAfterSeconds,
    ...(cause === undefined ? {} : { cause }),
  });
}

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === "string" ? code : "";
}

/**
 * A driver's error in the form of the service: an error of the statement itself is unchanged; all others mean that the
 * database is unavailable.
 */
export function fromDriver(error: unknown): unknown {
  if (error instanceof ServiceError || error instanceof UserError) return error;
  const code = codeOf(error);
  if (code === "22021") {
    return new ServiceError("validation_failed", "Nothing was saved: a text has the character U+0000", {
      hint: "PostgreSQL keeps every character but this one.",
      cause: error,
    });
  }
  if (/^(?:22|23|42)...$/.test(code)) return error;
  if (code === lockTimeout) return metadataUnavailable("Another node is in the middle of a change", error);
  if (code === readOnly) return metadataUnavailable("The database of the metadata is read-only", error);
  return metadataUnavailable("The database of the metadata does not answer", error);
}

/** Whether a lock was not obtained in time. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error instanceof ServiceError ? error.cause : error) === lockTimeout;
}

/** Whether the connection is unusable. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error);
  // The server's error about a statement, its timeout or a lock leaves the connection usable.
  const isFromServer = /^[0-9A-DF-Z][0-9A-Z]{4}$/.test(code);
  return !isFromServer || /^(?:08|57P|25P03)/.test(code);
}

/** The message for the operator who starts the service. */
export function describeStartFailure(error: unknown, { shown, user, database, host, tls }: DatabasePlace): UserError {
  if (error instanceof UserError) return error;
  const message = messageOf(error);
  return new UserError(`${shown} cannot be used: ${describe()}. It is named by LOGWEIR_METADATA_URL`, { cause: error });

  function describe(): string {
    const code = codeOf(error);
    if (tls === false && /no encryption|SSL off/.test(message)) return asksForTls();
    if (code === "28P01" || code === "28000" || /password must be a string/.test(message)) {
      return `it refused the user ${user}: ${message}. Check the user and the password`;
    }
    if (code === "3D000") return `there is no database ${database}. Make it: createdb -O ${user} ${database}`;
    if (code === "42501") {
      return `the user ${user} may not do what is needed (${message}). Make it the owner of the database, or GRANT CREATE ON SCHEMA public`;
    }
    if (code === "42P07") return `it holds tables of something else (${message}). Give Logweir a database of its own`;
    if (code === "53300") return `it has no connection left (${message})`;
    if (code === readOnly) return "it is read-only, as a standby is. Name the primary";
    if (/^(?:ENOTFOUND|EAI_AGAIN)$/.test(code)) return `there is no host ${host} (${code})`;
    if (/SSL|certificate|self.signed|TLS|altnames/i.test(`${code} ${message}`)) {
      return tls === false ? asksForTls() : `TLS failed: ${message}. Check sslmode, and sslrootcert`;
    }
    const [first] = error instanceof AggregateError ? error.errors : [error];
    return first instanceof Error && first.message !== "" ? first.message : message;
  }

  function asksForTls(): string {
    return `it asks for TLS (${message}). Add ?sslmode=verify-full`;
  }
}
