import { LqlError } from "./lql-error.ts";

/** Reads a text from left to right with sticky patterns: each is tried at the position only, so reading is linear. */
export class Scanner {
  readonly text: string;
  position = 0;

  constructor(text: string) {
    this.text = text;
  }

  get isAtEnd(): boolean {
    return this.position >= this.text.length;
  }

  skipSpace(): void {
    this.take(/\s+/y);
  }

  /** Matches the sticky pattern here; the position stays. */
  peek(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.position;
    return pattern.exec(this.text) ?? undefined;
  }

  /** Matches the sticky pattern here; the position moves past the match. */
  take(pattern: RegExp): RegExpExecArray | undefined {
    const match = this.peek(pattern);
    if (match !== undefined) this.position += match[0].length;
    return match;
  }

  /** An error at an offset, here unless stated otherwise. */
  error(message: string, offset = this.position): LqlError {
    return new LqlError(this.text, offset, message);
  }

  /**
   * A text in double quotes, in which `\"` and `\\` stand for a quote and a backslash. Undefined when there is none
   * here; an error at its start when it does not end.
   */
  takeQuoted(): string | undefined {
    if (this.text[this.position] !== '"') return undefined;
    const match = this.take(/"((?:[^"\\]|\\[\s\S])*)"/y);
    if (match === undefined) throw this.error("The quoted text has no end", this.position);
    return (match[1] ?? "").replaceAll(/\\(["\\])/g, "$1");
  }
}
