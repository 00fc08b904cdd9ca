/** Rows of an answer on their way. */

const MAX_CHARACTER_BYTES = 4;

/**
 * Rows as JSON text, comma separated without brackets. A class, so that a copy with another text cannot keep the bytes
 * of the first: whoever changes rows makes a new batch of them.
 */
export class RowBatch {
  readonly rowCount: number;
  readonly #pieces: readonly Uint8Array[];
  #json: string | undefined;

  /** `rows` are the text, or its UTF-8 in pieces that are cut anywhere. */
  constructor(rows: string | readonly Uint8Array[], rowCount: number) {
    this.rowCount = rowCount;
    this.#json = typeof rows === "string" ? rows : undefined;
    this.#pieces = typeof rows === "string" ? [] : rows;
  }

  /** The text. Made of the bytes where it is asked for: an answer that only passes them on does without. */
  get json(): string {
    this.#json ??= Buffer.concat(this.#pieces).toString();
    return this.#json;
  }

  /** The chunks to write: the bytes as they came, or the text. */
  get chunks(): readonly (string | Uint8Array)[] {
    return this.#pieces.length > 0 ? this.#pieces : [this.json];
  }

  /** The end of the text: at least so many bytes of it, or characters where they are there; or all. */
  tail(byteCount: number): string {
    if (this.#json !== undefined) return this.#json.slice(-byteCount);
    const last: Uint8Array[] = [];
    let length = 0;
    for (let at = this.#pieces.length - 1; at >= 0 && length < byteCount + MAX_CHARACTER_BYTES; at--) {
      const piece = this.#pieces[at] as Uint8Array;
      last.unshift(piece);
      length += piece.length;
    }
    const bytes = Buffer.concat(last, length);
    let start = Math.max(0, length - byteCount);
    // Bytes 10xxxxxx go on with a character.
    while (start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--;
    return bytes.toString("utf8", start);
  }
}
