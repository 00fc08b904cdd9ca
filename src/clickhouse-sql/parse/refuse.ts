import { type DiagnosticCode, GoogleSqlError, type Span } from "../../googlesql/diagnostic.ts";

/** The error of a place in a text. */
export function refuse(text: string, code: DiagnosticCode, message: string, span: Span): GoogleSqlError {
  return new GoogleSqlError(text, [{ code, message, span }]);
}
