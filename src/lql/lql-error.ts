/** An LQL text that does not parse; `offset` is where the first character stands that does not, in UTF-16 units. */
export class LqlError extends Error {
  override readonly name = "LqlError";
  readonly text: string;
  readonly offset: number;

  constructor(text: string, offset: number, message: string) {
    super(message);
    this.text = text;
    this.offset = offset;
  }
}
