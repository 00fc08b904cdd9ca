/** The findings about a store's file that was read to the last byte. */
export interface FileCheck {
  /** Rows by source, of those that could be read. */
  readonly counts: ReadonlyMap<string, number>;
  /** Each damage and its place, in words; empty if every block and every value can be read. */
  readonly damages: readonly string[];
}

/** Checks a store's file as its bytes pass by. */
export interface ByteChecker {
  /** Takes the next bytes, however they are cut. */
  push(bytes: Uint8Array): void;
  /** Where the damaged blocks begin, in bytes from the file's begin; a last block that is not complete is one. */
  damages(): readonly number[];
}
