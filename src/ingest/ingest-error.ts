export type IngestErrorCode =
  /** The body is not JSON (or NDJSON), or not an object, array or batch. */
  "invalid_body" | "unsupported_media_type" | "unsupported_encoding" | "body_too_large";

/** The whole request is refused and nothing of it is stored; the message says what to do. */
export class IngestError extends Error {
  override readonly name = "IngestError";
  readonly code: IngestErrorCode;

  constructor(code: IngestErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
