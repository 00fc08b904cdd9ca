/** A half-open range of a text. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}
