import { createHash } from "node:crypto";

/** A UUID derived from a text, so that it is the same everywhere: version 8 of RFC 9562, whose bits are the maker's. */
export function uuidOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
