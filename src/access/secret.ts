import { hash, randomBytes } from "node:crypto";

/** A new token: `lw_` and 256 random bits in hexadecimal. */
export function createSecret(): string {
  return `lw_${randomBytes(32).toString("hex")}`;
}

/** The stored form of a token: its SHA-256. */
export function hashSecret(secret: string): Buffer {
  return hash("sha256", secret, "buffer");
}

/** A new public id of a token. */
export function createTokenId(): string {
  return randomBytes(6).toString("hex");
}
