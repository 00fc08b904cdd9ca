import { caretLines, type Diagnostic, positionAt } from "../../googlesql/diagnostic.ts";

/** A problem of an endpoint document. */
export interface FieldProblem {
  /** Keys from the outside, e.g. `["parameters", "since", "default"]`; the first one is the field. */
  readonly path: readonly string[];
  readonly message: string;
  /** Where in the query's text, a UTF-16 offset; for problems of the field `query`. */
  readonly offset?: number;
  /** The code of a problem that the language reports. */
  readonly code?: Diagnostic["code"];
}

/**
 * Texts by field, as a save that is refused answers them: what is wrong inside the query comes with line and column.
 */
export function describeByField(
  problems: readonly FieldProblem[],
  query: string,
): Readonly<Record<string, readonly string[]>> {
  const fields = new Map<string, string[]>();
  for (const { path, message, offset } of problems) {
    const [field = "document", ...inner] = path;
    const where = inner.length === 0 ? "" : `${inner.join(".")}: `;
    const text = offset === undefined ? `${where}${message}` : `${describePosition(query, offset)}: ${message}`;
    const texts = fields.get(field) ?? [];
    if (!texts.includes(text)) texts.push(text);
    fields.set(field, texts);
  }
  return Object.fromEntries(fields);
}

/** Warnings about a query, each with line and column in front. */
export function describeWarnings(
  query: string,
  warnings: readonly Pick<Diagnostic, "message" | "span">[],
): readonly string[] {
  return warnings.map(({ message, span }) => `${describePosition(query, span.start)}: ${message}`);
}

function describePosition(query: string, offset: number): string {
  const { line, column } = positionAt(query, offset);
  return `line ${line}, column ${column}`;
}

/** A problem of the query with its place, for answers that machines read. */
export interface PlacedProblem {
  readonly code: string;
  readonly message: string;
  /** Both from 1; columns in code points. */
  readonly line: number;
  readonly column: number;
  readonly end_line: number;
  readonly end_column: number;
  /** The line, and below it a caret. */
  readonly excerpt: string;
}

/** Returns the language's diagnostics of a text with line and column. */
export function placeDiagnostics(text: string, diagnostics: readonly Diagnostic[]): readonly PlacedProblem[] {
  return diagnostics.map(({ code, message, span }) => {
    const end = positionAt(text, span.end);
    return {
      code,
      message,
      ...positionAt(text, span.start),
      end_line: end.line,
      end_column: end.column,
      excerpt: caretLines(text, span.start),
    };
  });
}
