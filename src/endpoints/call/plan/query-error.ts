import { caretLines, type GoogleSqlError, positionAt } from "../../../googlesql/diagnostic.ts";
import type { LqlError } from "../../../lql/lql-error.ts";
import { ServiceError } from "../../../shared/errors.ts";

/**
 * The problems of a consumer's query in the form of an error: code and message of the first problem, its line and
 * column, and the line with a caret as the hint. A table that the consumer cannot see is `sandbox_table_denied`,
 * whether it exists elsewhere or not at all.
 */
export function fromQueryError(error: GoogleSqlError): ServiceError {
  const [diagnostic] = error.diagnostics;
  const answered = fromOwnQueryError(error);
  if (diagnostic.code !== "unknown_table") return answered;
  const name = diagnostic.name ?? error.text.slice(diagnostic.span.start, diagnostic.span.end);
  return new ServiceError("sandbox_table_denied", `The table ${name} is not one of this endpoint's`, answered.details);
}

/** The same for an owner's query over everything: a table that does not exist is `unknown_table`. */
export function fromOwnQueryError(error: GoogleSqlError): ServiceError {
  const [diagnostic, ...others] = error.diagnostics;
  const { line, column } = positionAt(error.text, diagnostic.span.start);
  const more = others.length === 0 ? "" : `\n(and ${others.length} more)`;
  const details = { line, column, hint: caretLines(error.text, diagnostic.span.start) + more, cause: error };
  const isTooDeep = diagnostic.code === "too_complex" && diagnostic.message.includes("levels deep");
  const limit = isTooDeep ? { limit: "max_query_depth" as const } : {};
  return new ServiceError(diagnostic.code, diagnostic.message, { ...details, ...limit });
}

/** Problems of an owner's file, one for each with file, line, column, the line and a caret. */
export function describeProblem(path: string, text: string, offset: number, message: string): string {
  const { line, column } = positionAt(text, offset);
  const shown = caretLines(text, offset).replaceAll("\n", "\n  ");
  return `${path}:${line}:${column}: ${message}\n  ${shown}`;
}

/** The error of a consumer's LQL. */
export function fromLqlError(error: LqlError): ServiceError {
  const { line, column } = positionAt(error.text, error.offset);
  return new ServiceError("invalid_lql", error.message, {
    line,
    column,
    hint: caretLines(error.text, error.offset),
    cause: error,
  });
}
