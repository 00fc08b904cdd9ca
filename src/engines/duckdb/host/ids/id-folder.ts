/**
 * The folder of files of ids, and the manifest that names them. A file counts once the manifest names it; what it does
 * not name is removed at the start. The folder holds nothing that the store's tables do not: without it, they are read.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { writeDurably } from "../../../../shared/system/write-durably.ts";
import { writeRun } from "./id-run.ts";

const MANIFEST = "manifest.json";
const FORMAT = 1;

/** A file of ids as the manifest names it. */
export interface RunFile {
  readonly name: string;
  /** When the last of its ids had arrived, in milliseconds since 1970. */
  readonly until: number;
}

/** The files of a table. */
export interface TableFiles {
  /**
   * The last sorted run of the table (`lw_run`) whose rows are all in the files, which later files do not take back;
   * null where not all rows of the table have been read yet.
   */
  readonly coveredRun: number | null;
  readonly files: readonly RunFile[];
}

interface Manifest {
  readonly format: number;
  readonly tables: Readonly<Record<string, TableFiles>>;
}

function readManifest(path: string): Manifest["tables"] {
  try {
    const { format, tables } = JSON.parse(readFileSync(path, "utf8")) as Manifest;
    return format === FORMAT ? tables : {};
  } catch {
    // There is none yet, or it is damaged: ids are read from the tables again.
    return {};
  }
}

function namesOf(tables: Manifest["tables"]): ReadonlySet<string> {
  return new Set(Object.values(tables).flatMap(({ files }) => files.map(({ name }) => name)));
}

export class IdFolder {
  readonly #path: string;
  #tables: Manifest["tables"];
  /** The last change of the manifest; the next waits for it. */
  #changing: Promise<unknown> = Promise.resolve();

  /** Opens the folder, making it where it is missing. */
  constructor(path: string) {
    this.#path = path;
    mkdirSync(path, { recursive: true, mode: 0o700 });
    this.#tables = readManifest(join(path, MANIFEST));
    // What no manifest names, and the files of a table whose ids were not all read when the service ended.
    const entries = Object.entries(this.#tables).filter(([, { coveredRun }]) => coveredRun !== null);
    this.#tables = Object.fromEntries(entries);
    const known = namesOf(this.#tables);
    for (const name of readdirSync(path))
      if (name !== MANIFEST && !known.has(name)) rmSync(join(path, name), { force: true });
  }

  pathOf({ name }: RunFile): string {
    return join(this.#path, name);
  }

  filesOf(table: string): TableFiles {
    return this.#tables[table] ?? { coveredRun: null, files: [] };
  }

  /**
   * Writes words of ids (see `IdFilter.sortedWords`), if there are any, to a file, which does not count before `add`
   * names it.
   */
  async write(table: string, words: Uint32Array, until: number): Promise<RunFile | undefined> {
    if (words.length === 0) return undefined;
    const file = { name: this.#freeName(table), until };
    try {
      await writeRun(this.pathOf(file), words);
    } catch (error) {
      // On a full disk a part of it would take what is left.
      await this.discard(file);
      throw error;
    }
    return file;
  }

  /** Deletes a file that does not count. */
  async discard(file: RunFile): Promise<void> {
    await rm(this.pathOf(file), { force: true });
  }

  /**
   * Names another file of a table, if there is one, and how much of the table is covered by now, unless that is null.
   */
  async add(table: string, file: RunFile | undefined, coveredRun: () => number | null): Promise<void> {
    await this.#change((tables) => {
      const before = tables[table] ?? { coveredRun: null, files: [] };
      const files = file === undefined ? before.files : [...before.files, file];
      return { ...tables, [table]: { coveredRun: coveredRun() ?? before.coveredRun, files } };
    });
  }

  /** Removes files of a table; all that is known of it unless files are named. */
  async remove(table: string, files?: readonly RunFile[]): Promise<void> {
    await this.#change(({ [table]: known, ...others }) => {
      if (known === undefined || files === undefined) return others;
      const names = new Set(files.map(({ name }) => name));
      return { ...others, [table]: { ...known, files: known.files.filter(({ name }) => !names.has(name)) } };
    });
  }

  /** Waits for changes that are under way, whether they succeed or not. */
  async changesDone(): Promise<void> {
    await this.#changing;
  }

  #freeName(table: string): string {
    for (let number = this.filesOf(table).files.length + 1; ; number++) {
      const name = `${table}-${number}.ids`;
      if (!existsSync(join(this.#path, name))) return name;
    }
  }

  async #change(change: (tables: Manifest["tables"]) => Manifest["tables"]): Promise<void> {
    const write = async () => {
      const before = this.#tables;
      const tables = change(before);
      await writeDurably(join(this.#path, MANIFEST), JSON.stringify({ format: FORMAT, tables } satisfies Manifest));
      this.#tables = tables;
      const named = namesOf(tables);
      for (const name of namesOf(before)) if (!named.has(name)) await rm(join(this.#path, name), { force: true });
    };
    const changing = this.#changing.then(write, write);
    this.#changing = changing.catch(() => undefined);
    await changing;
  }
}
