/**
 * Events that the server refuses together are tried again in halves, until single ones are refused: one event that
 * cannot be stored stands in the way of no other.
 */
import type { LogEvent } from "../../contract/query-engine.ts";

/** An event that the server refuses by itself. */
export interface RefusedEvent {
  readonly event: LogEvent;
  readonly reason: unknown;
}

/** `wrote` is false where the store held all of the events already, which says nothing about the next insert. */
export type Attempt =
  | { readonly kind: "stored"; readonly wrote: boolean }
  | { readonly kind: "refused"; readonly reason: unknown }
  | { readonly kind: "stopped" };

export interface PieceStorage {
  /** Stores all of the events or none; waits out what passes by itself. */
  readonly attempt: (events: readonly LogEvent[]) => Promise<Attempt>;
  /** Resolves when the next round may begin, with false when there is to be none. */
  readonly pause: (round: number) => Promise<boolean>;
}

/** Rounds after which a server that stored nothing since is taken at its word. */
const MAX_ROUNDS = 8;
/** A round ends early after so many refusals in a row: the server, not the events, may be at fault. */
const MAX_DOUBTFUL = 16;

interface Round {
  readonly refused: readonly RefusedEvent[];
  /** Refused, and the server stored nothing after them. */
  readonly doubtful: readonly RefusedEvent[];
  readonly untried: readonly LogEvent[];
}

/**
 * Stores what the server accepts, and returns what it refuses: single events of which another was stored after them, or
 * that it refused in every round. Undefined when it was stopped: then nothing is known of the rest.
 */
export async function storeInPieces(
  events: readonly LogEvent[],
  storage: PieceStorage,
): Promise<readonly RefusedEvent[] | undefined> {
  const refused: RefusedEvent[] = [];
  let rest = events;
  for (let round = 1; ; round++) {
    const isLast = round === MAX_ROUNDS;
    const outcome = await runRound(rest, storage, isLast ? Number.POSITIVE_INFINITY : MAX_DOUBTFUL);
    if (outcome === undefined) return undefined;
    refused.push(...outcome.refused);
    if (outcome.doubtful.length === 0) return refused;
    if (isLast) return [...refused, ...outcome.doubtful];
    if (!(await storage.pause(round))) return undefined;
    rest = [...outcome.doubtful.map(({ event }) => event), ...outcome.untried];
  }
}

async function runRound(
  events: readonly LogEvent[],
  { attempt }: PieceStorage,
  maxDoubtful: number,
): Promise<Round | undefined> {
  const refused: RefusedEvent[] = [];
  let doubtful: RefusedEvent[] = [];
  /** The next piece is the last one. */
  const pieces = [events];
  for (let piece = pieces.pop(); piece !== undefined; piece = pieces.pop()) {
    const outcome = await attempt(piece);
    if (outcome.kind === "stopped") return undefined;
    if (outcome.kind === "stored") {
      if (!outcome.wrote) continue;
      refused.push(...doubtful);
      doubtful = [];
      continue;
    }
    const [event] = piece;
    if (event === undefined) continue;
    if (piece.length > 1) {
      const middle = Math.ceil(piece.length / 2);
      pieces.push(piece.slice(middle), piece.slice(0, middle));
      continue;
    }
    doubtful.push({ event, reason: outcome.reason });
    if (doubtful.length >= maxDoubtful) break;
  }
  return { refused, doubtful, untried: pieces.reverse().flat() };
}
