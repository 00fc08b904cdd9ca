/**
 * GoogleSQL: text to syntax tree, syntax tree to a resolved, typed query. No I/O, and no engine's SQL.
 */
export {
  caretLines,
  type Diagnostic,
  type DiagnosticCode,
  GoogleSqlError,
  type Position,
  positionAt,
  type Span,
} from "./diagnostic.ts";
export { type FoundParameter, findParameters } from "./parameters.ts";
export { parseQuery } from "./parse.ts";
export { printQuery } from "./print.ts";
export { type QueryText, type ResolveOptions, resolveQuery, resolveSandboxed, type SandboxOptions } from "./resolve.ts";
export { formatType } from "./types.ts";
