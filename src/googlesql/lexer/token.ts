/** Kinds of tokens. `keyword` is a word with a meaning in some places that may also be a name; `reserved` may not. */
export type TokenKind =
  | "identifier"
  | "quoted"
  | "keyword"
  | "reserved"
  | "integer"
  | "float"
  | "string"
  | "bytes"
  | "symbol"
  /** A place where no token can be read; `value` is the message. Always the last token. */
  | "error"
  | "end";

/** One lexical element of a text, with the half-open range of UTF-16 offsets where it stands. */
export interface Token {
  readonly kind: TokenKind;
  /** The upper-case spelling of a keyword, or the characters of a symbol; empty for all others. */
  readonly code: string;
  /** A name or a string with its escapes applied, the text of a number, or the message of an error. */
  readonly value: string;
  /** The value of a bytes literal. */
  readonly bytes?: Uint8Array;
  readonly start: number;
  readonly end: number;
}
