import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { ServiceError } from "../../shared/errors.ts";

/**
 * The place behind which a page begins: the values of the order's keys in the last row before it, in canonical text.
 */
export type PagePlace = readonly (string | null)[];

/** Writes and reads cursors. Only a holder of the key can make one, or see what is in it. */
export interface CursorSealer {
  /** `call` is what the cursor belongs to. */
  seal(call: string, place: PagePlace): string;
  /** Throws `invalid_parameter` for a cursor that was changed, or belongs to another call. */
  open(call: string, cursor: string): PagePlace;
}

const nonceBytes = 12;
const tagBytes = 16;

/** AES-256-GCM: `key` has 32 bytes. The call is authenticated with the place, and is not in the cursor. */
export function createCursorSealer(key: Uint8Array): CursorSealer {
  return {
    seal(call, place) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(call));
      const text = Buffer.concat([cipher.update(JSON.stringify(place), "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString("base64url");
    },
    open(call, cursor) {
      const bytes = Buffer.from(cursor, "base64url");
      // Other spellings of the same bytes are not cursors that were given out.
      if (bytes.toString("base64url") !== cursor || bytes.length <= nonceBytes + tagBytes) throw refuse();
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      }).setAAD(Buffer.from(call));
      decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
      try {
        const text = Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]);
        return JSON.parse(text.toString("utf8")) as PagePlace;
      } catch {
        throw refuse();
      }
    },
  };
}

function refuse(): ServiceError {
  return new ServiceError("invalid_parameter", "The parameter cursor is not one that this call was given", {
    parameter: "cursor",
    hint: "Follow the Link header of the page before, with every other parameter unchanged.",
  });
}
