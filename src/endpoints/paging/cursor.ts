import { createSealer } from "../../shared/crypto/sealer.ts";
import { invalidParameter, type ServiceError } from "../../shared/errors.ts";

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

/** Seals with a key of 32 bytes. The call is authenticated with the place, and is not in the cursor. */
export function createCursorSealer(key: Uint8Array): CursorSealer {
  const sealer = createSealer(key);
  return {
    seal: (call, place) => sealer.seal(JSON.stringify(place), call),
    open(call, cursor) {
      const place = sealer.open(cursor, call);
      if (place === undefined) throw refuse();
      return JSON.parse(place) as PagePlace;
    },
  };
}

function refuse(): ServiceError {
  return invalidParameter("cursor", "The parameter cursor is not one that this call was given", {
    hint: "Follow the Link header of the page before, with every other parameter unchanged.",
  });
}
