import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CliError } from "../context.ts";
import { tenantFolder } from "./hive-path.ts";

/** Characters of lines that wait in memory, of all tenants together. */
const maxWaiting = 16_000_000;
/** A file has a column for no more fields; those beyond are in `event_json` only. */
const maxColumns = 1_000;

/** The lines of a tenant's events in a file. */
export interface TenantFile {
  readonly tenant: string | null;
  readonly path: string;
  readonly rows: number;
  /** Names of their top-level fields. */
  readonly fields: ReadonlySet<string>;
}

interface OpenFile {
  readonly tenant: string | null;
  readonly path: string;
  readonly fields: Set<string>;
  rows: number;
  waiting: string[];
  isMade: boolean;
}

/**
 * Divides lines by tenant into files below a folder. Memory does not depend on how many lines there are, open files not
 * on how many tenants; each tenant takes about a kilobyte.
 */
export class TenantFiles {
  readonly #folder: string;
  readonly #files = new Map<string | null, OpenFile>();
  #waiting = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async add(tenant: string | null, line: string, fields: Iterable<string>): Promise<void> {
    const file = this.#files.get(tenant) ?? this.#begin(tenant);
    for (const field of fields) if (file.fields.size < maxColumns) file.fields.add(field);
    file.rows++;
    file.waiting.push(line);
    this.#waiting += line.length;
    if (this.#waiting > maxWaiting) await this.#flush();
  }

  /** All lines are on disk when it resolves. */
  async end(): Promise<readonly TenantFile[]> {
    await this.#flush();
    return [...this.#files.values()];
  }

  #begin(tenant: string | null): OpenFile {
    const path = join(this.#folder, tenantFolder(tenant), "events.ndjson.part");
    const file: OpenFile = { tenant, path, fields: new Set(), rows: 0, waiting: [], isMade: false };
    this.#files.set(tenant, file);
    return file;
  }

  async #flush(): Promise<void> {
    this.#waiting = 0;
    for (const file of this.#files.values()) {
      if (file.waiting.length === 0) continue;
      const text = `${file.waiting.join("\n")}\n`;
      file.waiting = [];
      await write(file, text);
      file.isMade = true;
    }
  }
}

async function write({ path, isMade, tenant }: OpenFile, text: string): Promise<void> {
  await mkdir(join(path, ".."), { recursive: true, mode: 0o700 });
  // A second tenant in the same file would be one whose name differs by case, where the file system ignores it.
  const made = { flag: isMade ? "a" : "wx", mode: 0o600, flush: true };
  await writeFile(path, text, made).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
    const advice = "export to a file system that distinguishes upper from lower case, or single tenants with --tenant";
    throw new CliError(`The folder of the tenant ${tenant} is another tenant's: ${advice}`);
  });
}
