/** Where a label comes from: the event's stream, its other fields, or a stage of the query. */
export type LabelOrigin = "stream" | "metadata" | "parsed";

/** The label in which a stage shows that it could not do its work, and the one with the reason. */
export const errorLabel = "__error__";
export const errorDetailsLabel = "__error_details__";

/** Labels that a parser reads in one line at most, so that a line of a million keys makes none of them. */
export const maxLabels = 1_000;

/** A name that labels may have, made of any text. */
export function toLabelName(text: string): string {
  const name = toLabelPart(text);
  return /^\d/.test(name) ? `_${name}` : name;
}

/** The same for a part behind the first. */
export function toLabelPart(text: string): string {
  return text.trim().replaceAll(/[^A-Za-z0-9_]/gu, "_");
}

type Labels = ReadonlyMap<string, string>;

/**
 * The labels of one line while it goes through a pipeline. A label that a stage made may be empty; for conditions on
 * texts it is then as one that is not there.
 */
export class LineLabels {
  readonly #stream: Labels;
  readonly #metadata: Labels;
  /** Those of the fields that the line was pushed with. */
  readonly #structured: Labels;
  /** Labels that stages made; undefined for those that they took away. */
  readonly #made = new Map<string, string | undefined>();
  /** Names that stages have made, also of labels that are gone. */
  readonly #everMade = new Set<string>();

  constructor(stream: Labels, metadata: Labels, structured: Labels = new Map()) {
    this.#stream = stream;
    this.#metadata = metadata;
    this.#structured = structured;
  }

  get(name: string): string | undefined {
    if (this.#made.has(name)) return this.#made.get(name);
    return this.#stream.get(name) ?? this.#metadata.get(name);
  }

  set(name: string, value: string): void {
    this.#made.set(name, value);
    this.#everMade.add(name);
  }

  delete(name: string): void {
    this.#made.set(name, undefined);
  }

  /** Whether the event has a label of the name, so that one that is read in its line gets another. */
  isTaken(name: string): boolean {
    return this.#stream.has(name) || (this.#metadata.has(name) && !this.#made.has(name));
  }

  /** Sets a label that was asked for by its name: where the event has one of the name, it becomes NAME_extracted. */
  put(name: string, value: string): void {
    this.set(this.isTaken(name) ? `${name}_extracted` : name, value);
  }

  /** The same for a label that was found in a line, unless a stage made one of the name before. */
  extract(name: string, value: string): void {
    const free = this.isTaken(name) ? `${name}_extracted` : name;
    if (!this.#everMade.has(free)) this.set(free, value);
  }

  fail(error: string, details: string): void {
    this.#made.set(errorLabel, error);
    if (details !== "") this.#made.set(errorDetailsLabel, details);
  }

  /** The labels of one origin that are there now, by name. */
  of(origin: LabelOrigin): Labels {
    if (origin === "parsed") {
      return new Map([...this.#made].flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])));
    }
    return this.#unmade(origin === "stream" ? this.#stream : this.#metadata);
  }

  /** The fields that the line was pushed with, as far as they are there now. */
  ofPushed(): Labels {
    return this.#unmade(this.#structured);
  }

  #unmade(base: Labels): Labels {
    if (this.#made.size === 0) return base;
    return new Map([...base].filter(([name]) => !this.#made.has(name)));
  }

  /** Every label that is there now. */
  all(): Labels {
    return new Map([...this.of("metadata"), ...this.of("stream"), ...this.of("parsed")]);
  }
}
