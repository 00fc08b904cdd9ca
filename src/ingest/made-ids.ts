import { randomUUID } from "node:crypto";

/** Digits at the end of a UUID in which the ids of a body's events differ. */
const COUNTED_DIGITS = 8;

/**
 * Ids for events of a body that bring none, UUIDs too: counted on from that of the body, so that an event has the same
 * id each time the body is read, and is stored once where the answer to the first time was lost.
 */
export class MadeIds {
  readonly #start: string;
  readonly #first: number;

  constructor(bodyId: string = randomUUID()) {
    this.#start = bodyId.slice(0, -COUNTED_DIGITS);
    this.#first = Number.parseInt(bodyId.slice(-COUNTED_DIGITS), 16);
  }

  /** The id for the event at a place of the body, counted from 0. */
  at(place: number): string {
    return this.#start + ((this.#first + place) >>> 0).toString(16).padStart(COUNTED_DIGITS, "0");
  }
}
