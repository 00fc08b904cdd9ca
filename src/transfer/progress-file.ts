import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { TimeSlice } from "../engines/contract/query-engine.ts";
import { explainFullDisk, UserError } from "../shared/user-error.ts";
import type { SliceKey } from "./stores.ts";

/** A store's report of a slice: count and fingerprint; null where it has no events there. */
export type SliceSummary = string | null;

/** A slice whose events are all in the target, as long as both stores report the same of it. */
export interface VerifiedSlice {
  readonly from: SliceSummary;
  readonly to: SliceSummary;
  readonly events: number;
  /** The digest of the source's events together. */
  readonly digest: string;
  /** Events of the target that the source has not. */
  readonly others: number;
}

/** The two stores of a move, for messages and for comparison. */
export interface Route {
  readonly from: string;
  readonly to: string;
}

type KeyTexts = readonly [source: string, startUs: string, widthUs: string];

type Line =
  | ({ readonly format: number } & Route)
  | ({ readonly slice: KeyTexts } & VerifiedSlice)
  | { readonly unverified: KeyTexts }
  | { readonly state: string };

const format = 1;

export function summarize(slice: Pick<TimeSlice, "eventCount" | "fingerprint"> | undefined): SliceSummary {
  return slice === undefined ? null : `${slice.eventCount} ${slice.fingerprint}`;
}

/**
 * The progress of a move in a file, one line for each slice. It may be truncated, and lines may be missing: their
 * content is determined again.
 */
export class ProgressFile {
  readonly #path: string | undefined;
  readonly #slices = new Map<string, VerifiedSlice>();
  readonly #states = new Set<string>();

  private constructor(path: string | undefined) {
    this.#path = path;
  }

  /** Starts over when the file is of another route. Throws `UserError` when it is not such a file. */
  static open(path: string, route: Route): ProgressFile {
    const file = new ProgressFile(path);
    const lines = existsSync(path) ? readLines(path) : [];
    const [head] = lines;
    if (head !== undefined && !("format" in head)) {
      throw new UserError(`${path} holds something else than the progress of a migration; move it away`);
    }
    if (head?.from !== route.from || head.to !== route.to || head.format !== format) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `${JSON.stringify({ format, ...route })}\n`, { mode: 0o600 });
      return file;
    }
    for (const line of lines) file.#take(line);
    // The last line may be truncated.
    appendFileSync(path, "\n");
    return file;
  }

  /** A read-only one. */
  static reading(path: string, route: Route): ProgressFile {
    const file = new ProgressFile(undefined);
    const lines = existsSync(path) ? readLines(path) : [];
    const [head] = lines;
    if (head !== undefined && "format" in head && head.from === route.from && head.to === route.to) {
      for (const line of lines) file.#take(line);
    }
    return file;
  }

  find(key: SliceKey): VerifiedSlice | undefined {
    return this.#slices.get(keyText(key));
  }

  note(key: SliceKey, slice: VerifiedSlice): void {
    this.#slices.set(keyText(key), slice);
    this.#write({ slice: textsOf(key), ...slice });
  }

  /** Marks a slice as wrong, whatever was noted of it. */
  forget(key: SliceKey): void {
    if (this.#slices.delete(keyText(key))) this.#write({ unverified: textsOf(key) });
  }

  /** Whether a state of this digest was moved to the target. */
  knowsState(digest: string): boolean {
    return this.#states.has(digest);
  }

  /** Before it is brought there. */
  noteState(digest: string): void {
    if (this.#states.has(digest)) return;
    this.#states.add(digest);
    this.#write({ state: digest });
  }

  #take(line: Line): void {
    if ("state" in line) this.#states.add(line.state);
    else if ("unverified" in line) this.#slices.delete(line.unverified.join("\n"));
    else if ("slice" in line) {
      const { slice, ...verified } = line;
      this.#slices.set(slice.join("\n"), verified);
    }
  }

  #write(line: Line): void {
    if (this.#path === undefined) return;
    try {
      appendFileSync(this.#path, `${JSON.stringify(line)}\n`);
    } catch (error) {
      const effect = "what was moved so far stays. Free space, and run the command again: it goes on";
      throw explainFullDisk(error, this.#path, effect);
    }
  }
}

function readLines(path: string): readonly Line[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((text): Line[] => {
      try {
        const line: unknown = JSON.parse(text);
        return typeof line === "object" && line !== null ? [line as Line] : [];
      } catch {
        return [];
      }
    });
}

function textsOf({ source, startUs, widthUs }: SliceKey): KeyTexts {
  return [source, String(startUs), String(widthUs)];
}

function keyText(key: SliceKey): string {
  return textsOf(key).join("\n");
}
