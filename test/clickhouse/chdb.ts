/** ClickHouse's engine as a library, downloaded when a test first needs it, because it takes half a gigabyte. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const VERSION = "3.4.0";

/** A connection: it has settings, a database and a role of its own. */
export type Connection = object & { readonly brand?: "connection" };

/** The result of a statement. */
export interface Answer {
  readonly bytes: Uint8Array;
  readonly rowsRead: number;
  readonly bytesRead: number;
}

/** The library's own calls, beneath its sessions: those wait for each other where the library need not. */
export interface Library {
  CreateConnection(path: string, args: readonly string[]): Connection;
  CloseConnection(connection: Connection): void;
  /** Holds up the thread; for what is done at once. */
  QueryWithConnection(connection: Connection, sql: string, format: string): string;
  QueryAsyncConnection(connection: Connection, sql: string, format: string): Promise<Answer>;
  StreamQuery(connection: Connection, sql: string, format: string): object;
  StreamFetch(stream: object): Promise<{ readonly done: boolean; readonly bytes: Uint8Array }>;
  StreamCancel(stream: object): void;
}

/** Where `node_modules/chdb` is: `LOGWEIR_CHDB`, or a folder outside of the lockfile that is filled the first time. */
export function findFolder(): string {
  const named = process.env.LOGWEIR_CHDB;
  if (named !== undefined) return resolve(named);
  const folder = resolve("node_modules/.cache/logweir-chdb");
  const isThere = () => existsSync(join(folder, "done"));
  mkdirSync(folder, { recursive: true });
  // Several test files start servers at the same moment: one of them downloads it.
  while (!isThere() && !takeLock(join(folder, "lock"))) waitMs(200);
  if (isThere()) return folder;
  try {
    fetchInto(folder);
    writeFileSync(join(folder, "done"), "");
  } finally {
    rmSync(join(folder, "lock"), { force: true });
  }
  return folder;
}

/** False when another running process has it. */
function takeLock(path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    const holder = existsSync(path) ? readFileSync(path, "utf8") : "";
    // A killed process leaves its lock; one that has just created it has not written to it yet.
    if (holder !== "" && !existsSync(`/proc/${holder}`) && process.platform === "linux") rmSync(path, { force: true });
    return false;
  }
}

function waitMs(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function fetchInto(folder: string): void {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies: { chdb: VERSION } }));
  process.stderr.write(`Fetching chdb ${VERSION} (half a gigabyte) into ${folder} ...\n`);
  const { status } = spawnSync(
    "npm",
    ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--legacy-peer-deps"],
    {
      cwd: folder,
      stdio: ["ignore", 2, 2],
    },
  );
  if (status === 0) return;
  throw new Error(
    `chdb ${VERSION}, which the tests of ClickHouse run on, could not be installed. LOGWEIR_CHDB may name a folder ` +
      "that has it below node_modules, and LOGWEIR_TEST_CLICKHOUSE_URL a server for those that can use one",
  );
}

/** Loads the library into this process permanently: it holds one folder of data. */
export function loadLibrary(): Library {
  const folder = join(findFolder(), "node_modules", "chdb");
  const loader = createRequire(join(folder, "package.json"))(join(folder, "dist", "loader.js")) as {
    loadNative(): Library;
  };
  return loader.loadNative();
}
