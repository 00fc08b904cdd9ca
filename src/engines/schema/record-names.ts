import { foldName } from "./declaration.ts";
import type { EventObject } from "./json-text.ts";

/** The names of one object of an event, as they meet when case does not count. */
export class RecordNames {
  readonly #object: EventObject;
  /** The first name of each folded one; made when it is asked for. */
  #first: Map<string, string> | undefined;

  constructor(object: EventObject) {
    this.#object = object;
  }

  /** Returns the spelling that stands for a name: the preferred one if it is there, otherwise the first. */
  firstOf(name: string, preferred: string | undefined): string | undefined {
    if (preferred !== undefined && this.#object[preferred] !== undefined) return preferred;
    return this.#names().get(foldName(name));
  }

  /** The name with as many `_` in front as keep it apart from all others; it is taken then. */
  freeNameFor(name: string): string {
    const names = this.#names();
    let free = `_${name}`;
    while (names.has(foldName(free))) free = `_${free}`;
    names.set(foldName(free), free);
    return free;
  }

  #names(): Map<string, string> {
    if (this.#first === undefined) {
      this.#first = new Map();
      for (const name of Object.keys(this.#object)) {
        const folded = foldName(name);
        if (!this.#first.has(folded)) this.#first.set(folded, name);
      }
    }
    return this.#first;
  }
}
