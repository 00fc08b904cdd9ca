import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

/** An access token that the holder of a key file was given: it stands for a stored token, for a while. */
export interface KeyToken {
  readonly tokenId: string;
  /** Milliseconds since 1970. */
  readonly endsAt: number;
}

/** Writes and reads these tokens. Services with the same key read each other's. */
export interface KeyTokenSealer {
  seal(token: KeyToken): string;
  /** Undefined for what was not sealed with the key. An ended token is returned like any other. */
  open(secret: string): KeyToken | undefined;
}

const form = /^lwk_([0-9a-f]{1,64})_(\d{1,16})_([\w-]{43})$/;

/** HMAC-SHA-256 with a key derived from the service's key. What a token may do is not in it: the store says. */
export function createKeyTokenSealer(serviceKey: Uint8Array): KeyTokenSealer {
  const key = Buffer.from(hkdfSync("sha256", serviceKey, "", "logweir key tokens", 32));
  const sign = (text: string) => createHmac("sha256", key).update(text).digest("base64url");
  return {
    seal({ tokenId, endsAt }) {
      const text = `lwk_${tokenId}_${endsAt}`;
      return `${text}_${sign(text)}`;
    },
    open(secret) {
      const [, tokenId, endsAt, signature] = form.exec(secret) ?? [];
      if (tokenId === undefined || endsAt === undefined || signature === undefined) return undefined;
      const expected = Buffer.from(sign(`lwk_${tokenId}_${endsAt}`));
      return timingSafeEqual(expected, Buffer.from(signature)) ? { tokenId, endsAt: Number(endsAt) } : undefined;
    },
  };
}
