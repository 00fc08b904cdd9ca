/** Errors of planning between threads, which know no classes of ours. */
import { type Diagnostic, GoogleSqlError } from "../../../../googlesql/diagnostic.ts";
import { LqlError } from "../../../../lql/lql-error.ts";
import type { ErrorCode } from "../../../../shared/error-catalogue.ts";
import { ServiceError } from "../../../../shared/errors.ts";
import type { PlanningFailure } from "./protocol.ts";

export function toFailure(error: unknown): PlanningFailure {
  if (error instanceof ServiceError) {
    const { cause, ...details } = error.details;
    const known = cause instanceof GoogleSqlError || cause instanceof LqlError ? toFailure(cause) : undefined;
    return { kind: "service", code: error.code, message: error.message, details, cause: known };
  }
  if (error instanceof GoogleSqlError) return { kind: "sql", text: error.text, diagnostics: error.diagnostics };
  if (error instanceof LqlError) return { kind: "lql", text: error.text, message: error.message, offset: error.offset };
  return { kind: "other", message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

/** Whether a query was refused for a reason that its caller is given; everything else is a defect. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ServiceError || error instanceof GoogleSqlError || error instanceof LqlError;
}

/** The error that `toFailure` took apart. */
export function fromFailure(failure: PlanningFailure): Error {
  switch (failure.kind) {
    case "service": {
      const { code, message, details, cause } = failure;
      return new ServiceError(code as ErrorCode, message, {
        ...details,
        ...(cause === undefined ? {} : { cause: fromFailure(cause) }),
      });
    }
    case "sql":
      return new GoogleSqlError(failure.text, failure.diagnostics as readonly [Diagnostic, ...Diagnostic[]]);
    case "lql":
      return new LqlError(failure.text, failure.offset, failure.message);
    case "other":
      return new Error(failure.message);
  }
}
