import type { OutputColumn, RowBatch } from "../../engines/contract/query-engine.ts";

/** A piece of an answer's body. */
export type Chunk = string | Uint8Array;

/** One piece, or several. */
export type Written = Chunk | readonly Chunk[];

/** The bytes of what was written; those of a text are UTF-8. */
export function toBuffers(written: Written): readonly Buffer[] {
  if (typeof written === "string") return [Buffer.from(written)];
  if (!(written instanceof Uint8Array)) return written.flatMap(toBuffers);
  return [Buffer.from(written.buffer, written.byteOffset, written.byteLength)];
}

/** Writes one answer: the beginning, each batch of rows, and the end. */
export interface AnswerWriter {
  begin(): Chunk;
  /** Batches without rows are not written. */
  write(batch: RowBatch): Written;
  end(): Chunk;
}

/** A form in which answers can be had. */
export interface AnswerFormat {
  /** As `format` names it. */
  readonly name: string;
  readonly mediaType: string;
  /** The parameters of the media type in Content-Type. */
  readonly typeParameters: string;
  /** True where compressing it again is a waste. */
  readonly isCompressed?: true;
  open(columns: readonly OutputColumn[]): AnswerWriter;
}
