import type { EventValue, MistypedField } from "../contract/query-engine.ts";
import { type Declaration, foldName } from "./declaration.ts";
import { plainJson } from "./json-text.ts";

const MAX_EXAMPLE_LENGTH = 100;

/** Counts values that did not fit the type of their declared field, with one of each field as an example. */
export class MistypedNotes {
  readonly #declaration: Declaration;
  readonly #fields = new Map<string, { path: string; type: string; count: number; example: string }>();

  constructor(declaration: Declaration) {
    this.#declaration = declaration;
  }

  note(path: string, value: EventValue): void {
    const declared = this.#declaration.fields.get(foldName(path));
    if (declared === undefined) return;
    const known = this.#fields.get(declared.path);
    if (known !== undefined) {
      known.count++;
      return;
    }
    const text = typeof value === "string" ? value : plainJson(value);
    const type = declared.type === "record" ? "RECORD" : declared.type;
    const example = text.slice(0, MAX_EXAMPLE_LENGTH);
    this.#fields.set(declared.path, { path: declared.path, type, count: 1, example });
  }

  all(): readonly MistypedField[] {
    return [...this.#fields.values()];
  }
}
