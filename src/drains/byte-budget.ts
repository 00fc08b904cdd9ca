import { createPassingMap, type PassingMap } from "../shared/passing-map.ts";

/** A share of a budget. */
export interface ByteLease {
  readonly byteCount: number;
  /** Gives back what is above so many bytes. */
  shrinkTo(byteCount: number): void;
  release(): void;
}

/** Bytes that an owner asks for: so many if its share allows them, and what is of no use below. */
export interface ByteWish {
  readonly owner: string;
  readonly most: number;
  readonly least: number;
}

interface Waiter {
  readonly wish: ByteWish;
  readonly grant: (byteCount: number) => void;
}

/** An owner holds at most this part of what is free. */
const ownerShare = 1 / 8;
/** A wish below which nothing is of use counts as this part of the whole, at most. */
const largestShare = 1 / 4;

/**
 * Memory that all deliveries together may hold. An owner's share is a part of what is free, so that owners who give
 * nothing back leave room for others, and one who asks for much does not hold up those who ask for little.
 */
export class ByteBudget {
  readonly #maxBytes: number;
  #free: number;
  #lastNumber = 0;
  readonly #held = createPassingMap<string, number>();
  /** By owner, in the order of asking; owners in the order in which their turn comes. */
  readonly #waiting = createPassingMap<string, PassingMap<number, Waiter>>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#free = maxBytes;
  }

  /** Resolves when the owner's share has room. Rejects with the signal's reason when it is aborted first. */
  async take(wish: ByteWish, signal: AbortSignal): Promise<ByteLease> {
    signal.throwIfAborted();
    const room = this.#waiting.get(wish.owner) === undefined ? this.#roomFor(wish) : undefined;
    if (room !== undefined) this.#move(wish.owner, room);
    const byteCount = room ?? (await this.#wait(wish, signal));
    let held = byteCount;
    const shrinkTo = (left: number) => {
      if (left >= held) return;
      this.#move(wish.owner, left - held);
      held = left;
      this.#grant();
    };
    return { byteCount, shrinkTo, release: () => shrinkTo(0) };
  }

  /** Undefined where the wish has to wait. */
  #roomFor({ owner, most, least: wanted }: ByteWish): number | undefined {
    const held = this.#held.get(owner) ?? 0;
    const share = Math.floor(this.#free * ownerShare) - held;
    const least = Math.min(wanted, this.#maxBytes * largestShare);
    if (least > (held > 0 ? share : this.#free / 2)) return undefined;
    return Math.max(least, Math.min(most, share));
  }

  #move(owner: string, byteCount: number): void {
    this.#free -= byteCount;
    const held = (this.#held.get(owner) ?? 0) + byteCount;
    if (held === 0) this.#held.delete(owner);
    else this.#held.set(owner, held);
  }

  #wait(wish: ByteWish, signal: AbortSignal): Promise<number> {
    return new Promise((resolve, reject) => {
      const number = ++this.#lastNumber;
      const own = this.#waiting.get(wish.owner) ?? createPassingMap<number, Waiter>();
      this.#waiting.set(wish.owner, own);
      const leave = () => {
        own.delete(number);
        if (own.size === 0) this.#waiting.delete(wish.owner);
        reject(signal.reason);
        this.#grant();
      };
      signal.addEventListener("abort", leave, { once: true });
      const grant = (byteCount: number) => {
        signal.removeEventListener("abort", leave);
        resolve(byteCount);
      };
      own.set(number, { wish, grant });
    });
  }

  /** Grants what there is room for; owners whose turn it was come last. */
  #grant(): void {
    for (const [owner, own] of this.#waiting.entries()) {
      for (const [number, { wish, grant }] of own.entries()) {
        const room = this.#roomFor(wish);
        if (room === undefined) break;
        own.delete(number);
        this.#waiting.delete(owner);
        if (own.size > 0) this.#waiting.set(owner, own);
        this.#move(owner, room);
        grant(room);
      }
    }
  }
}
