import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/** Encrypts configurations, so that they cannot be read from the file alone. */
export interface ConfigSealer {
  seal(text: string): string;
  /** Undefined when it was sealed with another key, or modified since. */
  open(sealed: string): string | undefined;
}

const nonceBytes = 12;
const tagBytes = 16;

/** AES-256-GCM with a key derived from the service's key. */
export function createConfigSealer(serviceKey: Uint8Array): ConfigSealer {
  const key = Buffer.from(hkdfSync("sha256", serviceKey, "", "logweir backends", 32));
  return {
    seal(text) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv("aes-256-gcm", key, nonce);
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url");
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, "base64url");
      if (bytes.length < nonceBytes + tagBytes) return undefined;
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, nonceBytes));
      decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
      try {
        const body = bytes.subarray(nonceBytes + tagBytes);
        return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
      } catch {
        return undefined;
      }
    },
  };
}
