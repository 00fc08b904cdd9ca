import type { LimitName, TenantLimitName } from "./budget.ts";
import { type ErrorCode, errorCatalogue } from "./error-catalogue.ts";
import { omitUndefined } from "./omit-undefined.ts";

/** The details of an error besides its code and message. */
export interface ErrorDetails {
  /** The request parameter that is at fault. */
  readonly parameter?: string;
  /** The values that the parameter may have. */
  readonly allowed?: readonly string[];
  /** Where in the caller's query, both from 1; columns in code points. */
  readonly line?: number;
  readonly column?: number;
  /** Instead of the catalogue's hint. */
  readonly hint?: string;
  /** Becomes the header Retry-After. */
  readonly retryAfterSeconds?: number;
  /** The problems of a document that was to be saved, as texts by field. */
  readonly fields?: Readonly<Record<string, readonly string[]>>;
  /** The version that the endpoint has, where a change builds on another; becomes the header ETag too. */
  readonly currentVersion?: number;
  /** The limit that was reached, by its name. */
  readonly limit?: LimitName | TenantLimitName;
  readonly cause?: unknown;
}

/** The maximum length of each text of an error, which may contain names and values of the caller of any length. */
const maxErrorCharacters = 2_000;

/** A text of an error, no longer than `maxErrorCharacters`. */
export function cutText(text: string): string {
  if (text.length <= maxErrorCharacters) return text;
  // Not between the halves of a character beyond the BMP.
  return `${text.slice(0, maxErrorCharacters - 3).replace(/[\ud800-\udbff]$/, "")}...`;
}

function cutDetails(details: ErrorDetails): ErrorDetails {
  const { parameter, hint, allowed, fields } = details;
  return {
    ...details,
    ...omitUndefined({
      parameter: parameter && cutText(parameter),
      hint: hint && cutText(hint),
      allowed: allowed?.map(cutText),
      fields: fields && cutFields(fields),
    }),
  };
}

function cutFields(fields: NonNullable<ErrorDetails["fields"]>): NonNullable<ErrorDetails["fields"]> {
  return Object.fromEntries(Object.entries(fields).map(([name, texts]) => [cutText(name), texts.map(cutText)]));
}

/** An error for the caller, with a code of the catalogue. The message is safe to show. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(cutText(message), details.cause === undefined ? {} : { cause: details.cause });
    this.code = code;
    this.details = cutDetails(details);
  }

  get status(): number {
    return errorCatalogue[this.code].status;
  }
}

/** The error for a parameter whose value cannot be used. */
export function invalidParameter(parameter: string, message: string, details: ErrorDetails = {}): ServiceError {
  return new ServiceError("invalid_parameter", message, { parameter, ...details });
}

/** The common shape of error responses. */
export interface ErrorBody {
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly status: number;
    readonly parameter?: string;
    readonly line?: number;
    readonly column?: number;
    readonly hint?: string;
    readonly limit?: LimitName | TenantLimitName;
    readonly allowed?: readonly string[];
    readonly fields?: Readonly<Record<string, readonly string[]>>;
    readonly current_version?: number;
  };
}

/** The body of an error's answer. */
export function toErrorBody(error: ServiceError): ErrorBody {
  const { parameter, line, column, limit, allowed, fields, currentVersion } = error.details;
  const hint = error.details.hint ?? errorCatalogue[error.code].hint;
  return {
    error: {
      code: error.code,
      message: error.message,
      status: error.status,
      ...omitUndefined({ parameter, line, column, hint, limit, allowed, fields, current_version: currentVersion }),
    },
  };
}
