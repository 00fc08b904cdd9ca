/**
 * The ids of a source: the newest in memory, all others in files. An id is a repeat where an event with it arrived
 * within the window, or an event with it and the same time arrived at any time before.
 */
import { hourOf, IdFilter, type IdHash, NO_HOUR, rangeOfHour, type TimeRange, unionRange } from "./id-filter.ts";
import type { IdFolder, RunFile } from "./id-folder.ts";
import { DamagedRunError, IdRun } from "./id-run.ts";

export interface IdIndexOptions {
  readonly table: string;
  /** Absent for a store in memory, whose ids all stay there. */
  readonly folder?: IdFolder | undefined;
  /** How long an event is recognised by its id alone, in milliseconds from its arrival. */
  readonly windowMs: number;
  readonly nowMs: () => number;
  /** A file cannot be read: the ids are to be read from the table again. */
  readonly onDamage?: (error: unknown) => void;
}

/** Where an event with the id may be; `isSameTime`: only one with the same time is the same event. */
export interface Match {
  readonly range: TimeRange;
  readonly isSameTime: boolean;
}

interface StoredRun {
  readonly file: RunFile;
  readonly run: IdRun;
}

/** The condition of all rows of a table. */
const ALL_ROWS = "true";
const HOUR_MS = 3_600_000;

export class IdIndex {
  readonly #options: IdIndexOptions;
  #filter = new IdFilter();
  /** Ids that are being written to a file, and the run that all files cover then. */
  #sealed: { readonly filter: IdFilter; coveredRun: number | null; readonly untilMs: number } | undefined;
  #runs: StoredRun[] = [];
  #uncovered: readonly string[] | undefined = [ALL_ROWS];
  #isDropped = false;

  /** `lastRun`: the table's last sorted run. Files that report later ones are of another table, and not used. */
  constructor(options: IdIndexOptions, lastRun = 0) {
    this.#options = options;
    const { folder, table } = options;
    const { coveredRun, files } = folder?.filesOf(table) ?? { coveredRun: null, files: [] };
    if (coveredRun === null) return;
    try {
      if (coveredRun > lastRun) throw new DamagedRunError("Files of ids report rows that the table does not have");
      for (const file of files) {
        this.#runs.push({ file, run: new IdRun(folder?.pathOf(file) ?? "", this.#isRecent(file)) });
      }
      // Joined by OR, they would let no scan pass over the other row groups.
      this.#uncovered = ["lw_run IS NULL", `lw_run > ${coveredRun}`];
    } catch (error) {
      this.#discard(error);
    }
  }

  /**
   * The rows whose ids may be missing here, as conditions on the table; undefined where none is missing. Rows move from
   * those of the first to those of the second: they are to be read in this order.
   */
  get uncovered(): readonly string[] | undefined {
    return this.#uncovered;
  }

  /** Ids in memory. */
  get heldCount(): number {
    return this.#filter.count + (this.#sealed?.filter.count ?? 0);
  }

  /** Files that hold ids. */
  get fileCount(): number {
    return this.#runs.length;
  }

  /**
   * Notes that the ids of all rows have been added, which were `uncovered` when their reading began. Where a file was
   * found damaged since, more rows are to be read, and nothing changes.
   */
  complete(uncovered: readonly string[] | undefined): void {
    if (uncovered === this.#uncovered) this.#uncovered = undefined;
  }

  add(hash: IdHash, timestampUs: bigint): void {
    this.#filter.add(hash, timestampUs);
  }

  /** Where events with the id may be, of whatever time; null: nowhere, undefined: anywhere. */
  find(hash: IdHash): TimeRange | null {
    if (this.#uncovered !== undefined) return undefined;
    return this.#reading(undefined, () => {
      let found = this.#findHeld(hash);
      for (const { run } of this.#runs) found = widen(found, run.hoursOf(hash));
      return found;
    });
  }

  /** Where events may be that this one repeats; none if it is certainly none of the ids known here. */
  findRepeats(hash: IdHash, timestampUs: bigint): readonly Match[] {
    return this.#reading<readonly Match[]>([{ range: undefined, isSameTime: false }], () => {
      const hour = hourOf(timestampUs);
      let found = this.#findHeld(hash);
      let isStored = false;
      for (const { file, run } of this.#runs) {
        if (this.#isRecent(file)) {
          found = widen(found, run.hoursOf(hash));
          continue;
        }
        run.forgetBloom();
        if (hour >= run.firstHour && hour <= run.lastHour) isStored ||= run.hoursOf(hash).includes(hour);
      }
      return [
        ...(found === null ? [] : [{ range: found, isSameTime: false }]),
        ...(isStored ? [{ range: { fromUs: timestampUs, toUs: timestampUs + 1n }, isSameTime: true }] : []),
      ];
    });
  }

  /**
   * Prepares what is in memory to be stored. `coveredRun`: the last sorted run of which every row's id is here; null
   * where this is not known. Does nothing while an earlier part has not been stored.
   */
  seal(coveredRun: number | null): void {
    if (this.#sealed !== undefined || (this.#filter.count === 0 && coveredRun === null)) return;
    // Of rows that are read from the table only their own times are known.
    const nowMs = this.#options.nowMs();
    const untilMs = this.#uncovered?.[0] === ALL_ROWS ? Math.min(nowMs, this.#filter.lastHour * HOUR_MS) : nowMs;
    this.#sealed = { filter: this.#filter, coveredRun, untilMs };
    this.#filter = new IdFilter();
  }

  /**
   * Stores what was sealed. Where this fails it stays in memory, to be stored the next time. The caller waits for one
   * before it begins another.
   */
  async store(): Promise<void> {
    const { folder, table } = this.#options;
    const sealed = this.#sealed;
    if (sealed === undefined || folder === undefined) return;
    const stored = await folder.write(table, sealed.filter.sortedWords(), sealed.untilMs);
    let run: IdRun | undefined;
    try {
      if (stored !== undefined) run = new IdRun(folder.pathOf(stored), this.#isRecent(stored));
      // Asked when its turn comes: other files may be found damaged, and be removed, until then.
      await folder.add(table, stored, () => sealed.coveredRun);
    } catch (error) {
      run?.close();
      if (stored !== undefined) await folder.discard(stored);
      throw error;
    }
    this.#sealed = undefined;
    if (stored !== undefined && run !== undefined) this.#runs.push({ file: stored, run });
    if (this.#isDropped) await this.drop();
  }

  /** Forgets ids of hours that end at or before a time, of which the caller knows that there is no event. */
  async forgetBefore(timestampUs: bigint): Promise<void> {
    this.#filter.forgetBefore(timestampUs);
    const hour = hourOf(timestampUs);
    const gone = this.#runs.filter(({ run }) => hour !== NO_HOUR && run.lastHour < hour);
    if (gone.length === 0) return;
    this.#runs = this.#runs.filter((each) => !gone.includes(each));
    for (const { run } of gone) run.close();
    const { folder, table } = this.#options;
    const files = gone.map(({ file }) => file);
    // What stays is of no harm, and removed with the next file.
    await folder?.remove(table, files).catch(() => undefined);
  }

  /** Forgets everything, also on disk. */
  async drop(): Promise<void> {
    this.#isDropped = true;
    this.close();
    await this.#options.folder?.remove(this.#options.table);
  }

  close(): void {
    for (const { run } of this.#runs.splice(0)) run.close();
  }

  #isRecent({ until }: RunFile): boolean {
    return until >= this.#options.nowMs() - this.#options.windowMs;
  }

  #findHeld(hash: IdHash): TimeRange | null {
    const [found, sealed] = [this.#filter.find(hash), this.#sealed?.filter.find(hash) ?? null];
    if (found === null || sealed === null) return found === null ? sealed : found;
    return unionRange(found, sealed);
  }

  #reading<Found>(fallback: Found, read: () => Found): Found {
    try {
      return read();
    } catch (error) {
      this.#discard(error);
      return fallback;
    }
  }

  #discard(error: unknown): void {
    this.close();
    this.#uncovered = [ALL_ROWS];
    // What is stored next covers nothing: the rows of the files that go are read into memory first.
    if (this.#sealed !== undefined) this.#sealed.coveredRun = null;
    this.#options.folder?.remove(this.#options.table).catch(() => undefined);
    this.#options.onDamage?.(error);
  }
}

function widen(range: TimeRange | null, hours: readonly number[]): TimeRange | null {
  let found = range;
  for (const hour of hours) found = found === null ? rangeOfHour(hour) : unionRange(found, rangeOfHour(hour));
  return found;
}
