import type { Span } from "../../../googlesql/diagnostic.ts";

/** Thrown while a part of a query is printed that ClickHouse cannot compute exactly as the language has it. */
export class NotPushed extends Error {
  override readonly name = "NotPushed";
  /** In words for the author of the query. */
  readonly reason: string;
  /** The position of the call or expression at fault; undefined if the form of the query is at fault. */
  readonly span: Span | undefined;

  constructor(reason: string, span?: Span) {
    super(reason);
    this.reason = reason;
    this.span = span;
  }
}
