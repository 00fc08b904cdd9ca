import { createPassingMap, type PassingMap } from "../shared/concurrency/passing-map.ts";

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

interface Grant {
  readonly byteCount: number;
  /** Whether somebody who asked earlier waits on. */
  readonly overtakes: boolean;
}

interface Waiter {
  readonly wish: ByteWish;
  readonly grant: (granted: Grant) => void;
}

/** An owner holds at most this part of what is free. */
const ownerShare = 1 / 8;
/** A wish below which nothing is of use counts as this part of the whole, at most. */
const largestShare = 1 / 4;
/** All who were granted something before one who asked earlier hold this part of the whole together, at most. */
const overtakingShare = 1 / 8;

/**
 * Memory that all deliveries together may hold. An owner's share is a part of what is free, so that owners who give
 * nothing back leave room for others. One who asks for much does not hold up those who ask for little, nor do these,
 * however many they are, keep it waiting for longer than what was held when its turn came.
 */
export class ByteBudget {
  readonly #maxBytes: number;
  #free: number;
  /** Held by those who overtook. */
  #overtaken = 0;
  /** No wish that waits is below it. */
  #smallest = Number.POSITIVE_INFINITY;
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
    const { owner } = wish;
    const overtakes = this.#longest() !== undefined;
    const room = this.#waiting.get(owner) === undefined ? this.#roomFor(wish, overtakes) : undefined;
    const granted = room === undefined ? await this.#wait(wish, signal) : this.#take(owner, room, overtakes);
    const { byteCount } = granted;
    let held = byteCount;
    const shrinkTo = (left: number) => {
      if (left >= held) return;
      if (granted.overtakes) this.#overtaken -= held - left;
      this.#move(owner, left - held);
      held = left;
      this.#grant();
    };
    return { byteCount, shrinkTo, release: () => shrinkTo(0) };
  }

  /** Whose turn has been due for longest: who holds something waits for that. */
  #longest(): string | undefined {
    for (const [owner] of this.#waiting.entries()) if (this.#held.get(owner) === undefined) return owner;
    return undefined;
  }

  /** Undefined where the wish has to wait. */
  #roomFor({ owner, most, least: wanted }: ByteWish, overtakes: boolean): number | undefined {
    const held = this.#held.get(owner) ?? 0;
    const share = Math.floor(this.#free * ownerShare) - held;
    const least = this.#atMost(wanted);
    if (least > (held > 0 ? share : this.#free / 2)) return undefined;
    if (overtakes) return this.#mayOvertake(least) ? least : undefined;
    return Math.max(least, Math.min(most, share));
  }

  #atMost(least: number): number {
    return Math.min(least, this.#maxBytes * largestShare);
  }

  #mayOvertake(byteCount: number): boolean {
    return this.#overtaken + byteCount <= this.#maxBytes * overtakingShare;
  }

  #take(owner: string, byteCount: number, overtakes: boolean): Grant {
    if (overtakes) this.#overtaken += byteCount;
    this.#move(owner, byteCount);
    return { byteCount, overtakes };
  }

  #move(owner: string, byteCount: number): void {
    this.#free -= byteCount;
    const held = (this.#held.get(owner) ?? 0) + byteCount;
    if (held === 0) this.#held.delete(owner);
    else this.#held.set(owner, held);
  }

  #wait(wish: ByteWish, signal: AbortSignal): Promise<Grant> {
    return new Promise((resolve, reject) => {
      const number = ++this.#lastNumber;
      const own = this.#waiting.get(wish.owner) ?? createPassingMap<number, Waiter>();
      this.#waiting.set(wish.owner, own);
      const leave = () => {
        own.delete(number);
        if (own.size === 0) this.#waiting.delete(wish.owner);
        // The owner's next wish may be smaller.
        this.#smallest = 0;
        reject(signal.reason);
        this.#grant();
      };
      signal.addEventListener("abort", leave, { once: true });
      const grant = (granted: Grant) => {
        signal.removeEventListener("abort", leave);
        resolve(granted);
      };
      own.set(number, { wish, grant });
      this.#smallest = Math.min(this.#smallest, this.#atMost(wish.least));
    });
  }

  /** Grants what there is room for; owners whose turn it was come last. */
  #grant(): void {
    let overtakes = false;
    let smallest = Number.POSITIVE_INFINITY;
    for (const [owner, own] of this.#waiting.entries()) {
      // Else each of thousands who give something back would have thousands looked at.
      if (this.#smallest > this.#free / 2 || (overtakes && !this.#mayOvertake(this.#smallest))) return;
      for (const [number, { wish, grant }] of own.entries()) {
        const room = this.#roomFor(wish, overtakes);
        if (room === undefined) {
          smallest = Math.min(smallest, this.#atMost(wish.least));
          overtakes ||= this.#held.get(owner) === undefined;
          break;
        }
        own.delete(number);
        this.#waiting.delete(owner);
        if (own.size > 0) this.#waiting.set(owner, own);
        grant(this.#take(owner, room, overtakes));
      }
    }
    this.#smallest = smallest;
  }
}
