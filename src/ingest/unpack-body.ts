import { isUtf8 } from "node:buffer";
import { BodyError, type EventBody } from "../engines/contract/query-engine.ts";
import { decompress } from "./decompress.ts";

/** How a body says that it is written. */
export type BodyForm = Partial<Pick<EventBody, "contentType" | "contentEncoding">>;

/**
 * A body without its Content-Encoding and, where Content-Type names another charset, in UTF-8. What is UTF-8 is taken
 * as it is, whatever is said of it. Throws `BodyError` as `decompress` does, and `unsupported_media_type` for a body in
 * a charset that is not known here.
 */
export async function unpackBody(
  body: Uint8Array,
  { contentType = "", contentEncoding = "" }: BodyForm,
  maxBytes: number,
): Promise<Uint8Array> {
  const bytes = await decompress(body, contentEncoding, maxBytes);
  const charset = /;\s*charset\s*=\s*"?([^\s;,"]+)/i.exec(contentType)?.[1] ?? "utf-8";
  // Texts of ASCII alone are UTF-8 in UTF-16 too, with a NUL beside each character.
  if (/^utf-?8$/i.test(charset) || (isUtf8(bytes) && !bytes.includes(0))) return bytes;
  const text = Buffer.from(decode(charset, bytes));
  if (text.length > maxBytes)
    throw new BodyError("body_too_large", `The body is larger than ${maxBytes} bytes in UTF-8`);
  return text;
}

/** UTF-16 is what its mark says, and little endian without one (WHATWG Encoding). */
function decode(charset: string, bytes: Uint8Array): string {
  const isMarked = /^utf-?16$/i.test(charset) && bytes[0] === 0xfe && bytes[1] === 0xff;
  try {
    return new TextDecoder(isMarked ? "utf-16be" : charset).decode(bytes);
  } catch {
    const message = `The body is in the charset ${charset.slice(0, 100)}, which is not read; send UTF-8`;
    throw new BodyError("unsupported_media_type", message);
  }
}
