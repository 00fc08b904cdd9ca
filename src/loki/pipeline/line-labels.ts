/** Where a label comes from: the event's stream, its other fields, or a stage of the query. */
export type LabelOrigin = "stream" | "metadata" | "parsed";

/** The label in which a stage tells that it could not do its work, and the one with the reason. */
export const errorLabel = "__error__";
export const errorDetailsLabel = "__error_details__";

/** A name that labels may have, made of any text. */
export function toLabelName(text: string): string {
  const name = text.trim().replaceAll(/[^A-Za-z0-9_]/g, "_");
  return /^\d/.test(name) ? `_${name}` : name;
}

/** The labels of one line while it goes through a pipeline. A label without a value is one that is not there. */
export class LineLabels {
  readonly #stream: ReadonlyMap<string, string>;
  readonly #metadata: ReadonlyMap<string, string>;
  /** Labels that stages made; undefined for those that they took away. */
  readonly #made = new Map<string, string | undefined>();

  constructor(stream: ReadonlyMap<string, string>, metadata: ReadonlyMap<string, string>) {
    this.#stream = stream;
    this.#metadata = metadata;
  }

  get(name: string): string | undefined {
    if (this.#made.has(name)) return this.#made.get(name);
    return this.#stream.get(name) ?? this.#metadata.get(name);
  }

  set(name: string, value: string): void {
    this.#made.set(name, value === "" ? undefined : value);
  }

  delete(name: string): void {
    this.#made.set(name, undefined);
  }

  /** Sets a label that was read in a line: where the event has one of the name, it becomes NAME_extracted. */
  extract(name: string, value: string): void {
    const isTaken = this.#stream.has(name) || this.#metadata.has(name);
    this.set(isTaken ? `${name}_extracted` : name, value);
  }

  fail(error: string, details: string): void {
    this.set(errorLabel, error);
    this.set(errorDetailsLabel, details);
  }

  /** The labels of one origin that are there now, by name. */
  of(origin: LabelOrigin): ReadonlyMap<string, string> {
    if (origin === "parsed") {
      return new Map([...this.#made].flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])));
    }
    const base = origin === "stream" ? this.#stream : this.#metadata;
    if (this.#made.size === 0) return base;
    return new Map([...base].filter(([name]) => !this.#made.has(name)));
  }

  /** Every name that has a value. */
  names(): readonly string[] {
    const names = new Set([...this.#stream.keys(), ...this.#metadata.keys(), ...this.#made.keys()]);
    return [...names].filter((name) => this.get(name) !== undefined);
  }
}
