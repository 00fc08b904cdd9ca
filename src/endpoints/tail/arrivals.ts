import { randomBytes } from "node:crypto";
import type { EventKey } from "../../engines/contract/query-engine.ts";

/** The stored identity of an event that has arrived. */
export type ArrivalKey = Pick<EventKey, "id" | "timestampUs">;

/** Events whose times are further apart are asked for separately, so that the engine reads only what is near them. */
const clusterUs = 3_600_000_000n;
/** Questions that a piece of arrivals is asked in, at most. */
const maxClusters = 4;

/** How far a reader has got in the arrivals of each source. */
export type ArrivalMark = ReadonlyMap<string, number>;

/** The next arrivals behind a mark. */
export interface NextArrivals {
  readonly keys: readonly ArrivalKey[];
  /** Behind these keys. */
  readonly mark: ArrivalMark;
  /** True where keys before them were forgotten, because the reader is too far behind. */
  readonly isTorn: boolean;
}

/** Arrivals of sources, from a number on and before another. */
export interface ArrivalSpan {
  /** Whose numbers they are: a service counts from zero. */
  readonly of: string;
  readonly sources: readonly (readonly [source: string, from: number, to: number])[];
}

/** Arrivals of a span, and those before and behind it. */
export type SpanArrivals = Readonly<Record<"before" | "within" | "behind", readonly ArrivalKey[]>>;

interface Line {
  /** The number of the first key. */
  first: number;
  keys: ArrivalKey[];
}

/** Keys of the events that were stored lately, in the order in which they arrived, whatever their times are. */
export class Arrivals {
  readonly #lines = new Map<string, Line>();
  readonly #maxKeys: number;
  readonly #id = randomBytes(6).toString("base64url");

  /** `maxKeys` of each source are remembered at most. */
  constructor(maxKeys = 100_000) {
    this.#maxKeys = maxKeys;
  }

  /** Keys that arrive together come in the order in which a tail that breaks off among them resumes. */
  note(source: string, keys: readonly ArrivalKey[]): void {
    const line = this.#line(source);
    for (const { id, timestampUs } of [...keys].sort(compareKeys)) line.keys.push({ id, timestampUs });
    // Rarely, and many at once: each time, the rest is copied.
    if (line.keys.length < 2 * this.#maxKeys) return;
    line.first += line.keys.length - this.#maxKeys;
    line.keys = line.keys.slice(-this.#maxKeys);
  }

  /** Behind everything that has arrived by now. */
  mark(): ArrivalMark {
    return new Map([...this.#lines].map(([source, { first, keys }]) => [source, first + keys.length]));
  }

  /** True where something arrived at one of the sources behind the mark. */
  hasMore(mark: ArrivalMark, sources: readonly string[]): boolean {
    return sources.some((source) => {
      const line = this.#lines.get(source);
      return line !== undefined && line.first + line.keys.length > (mark.get(source) ?? 0);
    });
  }

  /** The next keys of the sources behind the mark, `max` at most. */
  next(mark: ArrivalMark, sources: readonly string[], max: number): NextArrivals {
    const keys: ArrivalKey[] = [];
    const reached = new Map(mark);
    let isTorn = false;
    for (const source of sources) {
      const line = this.#lines.get(source);
      if (line === undefined) continue;
      const from = reached.get(source) ?? 0;
      isTorn ||= from < line.first;
      const start = Math.max(from, line.first);
      const taken = line.keys.slice(start - line.first, start - line.first + max - keys.length);
      keys.push(...taken);
      reached.set(source, start + taken.length);
    }
    return { keys, mark: reached, isTorn };
  }

  /** The arrivals of sources between two marks. */
  span(sources: readonly string[], from: ArrivalMark, to: ArrivalMark): ArrivalSpan {
    return {
      of: this.#id,
      sources: sources.map((source) => [source, from.get(source) ?? 0, to.get(source) ?? 0] as const),
    };
  }

  /**
   * Those of a span, and around it up to a mark. Undefined where some in or behind it are not known any more, or it is
   * none of all these sources.
   */
  find(span: ArrivalSpan, sources: readonly string[], until: ArrivalMark): SpanArrivals | undefined {
    const known = span.sources.filter(([source, from]) => sources.includes(source) && from >= this.#line(source).first);
    if (span.of !== this.#id || known.length < sources.length) return undefined;
    const slice = (source: string, from: number, to: number) => {
      const { first, keys } = this.#line(source);
      return keys.slice(Math.max(0, from - first), Math.max(0, to - first));
    };
    return {
      before: known.flatMap(([source, from]) => slice(source, 0, from)),
      within: known.flatMap(([source, from, to]) => slice(source, from, to)),
      behind: known.flatMap(([source, , to]) => slice(source, to, until.get(source) ?? 0)),
    };
  }

  /** Forgets the keys of a source, and that what arrives from now on is not noted. */
  forget(source: string): void {
    const line = this.#line(source);
    line.first += line.keys.length + 1;
    line.keys = [];
  }

  #line(source: string): Line {
    const line = this.#lines.get(source) ?? { first: 0, keys: [] };
    this.#lines.set(source, line);
    return line;
  }
}

/** The keys in order of their times, those near each other together, in a few lists. */
export function clusterByTime(keys: readonly ArrivalKey[]): readonly (readonly ArrivalKey[])[] {
  const sorted = [...keys].sort(compareKeys);
  const clusters: ArrivalKey[][] = [];
  let lastUs: bigint | undefined;
  for (const key of sorted) {
    const cluster = clusters.at(-1);
    // Many separate times are asked for together: each question costs more than what is read between them.
    const isNear = lastUs !== undefined && (key.timestampUs - lastUs <= clusterUs || clusters.length >= maxClusters);
    if (cluster !== undefined && isNear) cluster.push(key);
    else clusters.push([key]);
    lastUs = key.timestampUs;
  }
  return clusters;
}

function compareKeys(a: ArrivalKey, b: ArrivalKey): number {
  if (a.timestampUs !== b.timestampUs) return a.timestampUs < b.timestampUs ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
