import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

/** Encrypts texts: only a holder of the key can make one, or see what is in it. */
export interface Sealer {
  /** `context` is authenticated with the text, and is not in what is returned. */
  seal(text: string, context?: string): string;
  /** Undefined for a text that was sealed with another key or context, or changed since. */
  open(sealed: string, context?: string): string | undefined;
}

const nonceBytes = 12;
const tagBytes = 16;
const form = { authTagLength: tagBytes } as const;

/** AES-256-GCM: `key` has 32 bytes. */
export function createSealer(key: Uint8Array): Sealer {
  return {
    seal(text, context = "") {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv("aes-256-gcm", key, nonce, form).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url");
    },
    open(sealed, context = "") {
      const bytes = Buffer.from(sealed, "base64url");
      // Other spellings of the same bytes were never issued.
      if (bytes.toString("base64url") !== sealed || bytes.length < nonceBytes + tagBytes) return undefined;
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, nonceBytes), form);
      decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
      try {
        return decipher.update(bytes.subarray(nonceBytes + tagBytes), undefined, "utf8") + decipher.final("utf8");
      } catch {
        return undefined;
      }
    },
  };
}
