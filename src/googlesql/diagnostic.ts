/** Diagnostics of a text. Several problems of one text are reported together. */

/** A half-open range of UTF-16 offsets into the query's text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export type DiagnosticCode =
  /** The text is not a query of the grammar. */
  | "syntax_error"
  /** Nested deeper, or longer, than the documented limits of the language. */
  | "too_complex"
  /** A table (relation) that is not visible where it is named. */
  | "unknown_table"
  /** A column or field that no visible relation has. */
  | "unknown_column"
  /** A function that the catalogue does not hold. */
  | "unknown_function"
  /** A function or construct of GoogleSQL that is refused here, by name. */
  | "unsupported"
  | "unknown_parameter"
  | "ambiguous_name"
  | "duplicate_name"
  /** No signature of a function takes these arguments, or an operand has the wrong type. */
  | "type_mismatch"
  /** Any other rule of the language that the query breaks (grouping, scoping, windows, literals out of range ...). */
  | "invalid_query";

export interface Diagnostic {
  readonly code: DiagnosticCode;
  /** One sentence without position, e.g. `Unrecognized name: pth; did you mean path?`. */
  readonly message: string;
  readonly span: Span;
  /** The table, function, column or parameter the problem is about, as the text spells it. */
  readonly name?: string;
  /** The nearest known name, where one is near. */
  readonly suggestion?: string;
}

/** Thrown by parse and resolve; holds at least one diagnostic, in the order of their positions. */
export class GoogleSqlError extends Error {
  override readonly name = "GoogleSqlError";
  readonly text: string;
  readonly diagnostics: readonly [Diagnostic, ...Diagnostic[]];

  constructor(text: string, diagnostics: readonly [Diagnostic, ...Diagnostic[]]) {
    super(diagnostics[0].message);
    this.text = text;
    this.diagnostics = diagnostics;
  }
}

/** Line and column of an offset, both counted from 1; columns in code points. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Lines end at `\n`, `\r\n` or `\r`. */
export function positionAt(text: string, offset: number): Position {
  let line = 1;
  let lineStart = 0;
  for (let i = 0; i < offset && i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 10 || (code === 13 && text.charCodeAt(i + 1) !== 10)) {
      line++;
      lineStart = i + 1;
    }
  }
  let column = 1;
  for (const _ of text.slice(lineStart, offset)) column++;
  return { line, column };
}

/** The line that holds `offset` and a caret below the character, as two lines. Long lines are cut around the caret. */
export function caretLines(text: string, offset: number): string {
  const before = text.slice(0, offset);
  const lineStart = Math.max(before.lastIndexOf("\n"), before.lastIndexOf("\r")) + 1;
  const rest = text.slice(lineStart);
  const lineLength = rest.search(/[\r\n]/);
  const line = lineLength === -1 ? rest : rest.slice(0, lineLength);
  const column = offset - lineStart;
  const from = Math.max(0, column - 60);
  const shown = line.slice(from, column + 60).replaceAll("\t", " ");
  return `${shown}\n${" ".repeat([...line.slice(from, column)].length)}^`;
}
