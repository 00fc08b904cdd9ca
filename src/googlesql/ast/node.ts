import type { Span } from "../diagnostic.ts";

/** The part that every node has: its position in the text. */
export interface Node {
  readonly span: Span;
}

/** A name as written; `isQuoted` when it stood in back-ticks. */
export interface Identifier extends Node {
  readonly kind: "Identifier";
  readonly name: string;
  readonly isQuoted: boolean;
}

/** `a.b.c`. In FROM a path may hold dashes (`my-project.x`), which the parser joins into one identifier. */
export interface Path extends Node {
  readonly kind: "Path";
  readonly parts: readonly Identifier[];
}
