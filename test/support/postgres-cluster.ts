import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { waitUntil } from "./wait-until.ts";

/** A PostgreSQL cluster of its own in a temporary folder, on a port of its own, without a disk's guarantees. */
export interface PostgresCluster {
  readonly port: number;
  /** Makes an empty database, and answers its URL. */
  createDatabase(): string;
  /** Empties the tables of a database that a service has set up, in a fraction of the time that a new one takes. */
  empty(url: string): void;
  /** Runs statements as the cluster's owner, and answers what psql prints. */
  sql(database: string, statements: string): string;
  /** Ends every process of it at once, as the end of its machine would. */
  kill(): Promise<void>;
  /** Starts it again after `kill`. */
  restart(): Promise<void>;
  /** Stops or continues every process of it, as a machine that hangs. */
  freeze(isFrozen: boolean): void;
  stop(): Promise<void>;
}

/** All rows but those that migrations have written; numbers start at one again. */
const EMPTY_TABLES = `DO $$ BEGIN EXECUTE (
  SELECT 'TRUNCATE ' || string_agg(quote_ident(tablename), ', ') || ' RESTART IDENTITY'
  FROM pg_tables WHERE schemaname = current_schema() AND tablename !~ 'migration|^metadata_changes$'); END $$`;

/** Debian's packages put the programs here, out of the way of `PATH`. */
const root = "/usr/lib/postgresql";

function findPrograms(): string | undefined {
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  return versions.map((version) => join(root, version, "bin")).find((folder) => existsSync(join(folder, "initdb")));
}

/** False where PostgreSQL is not installed, which is said; an error on CI, where it must be. */
export function hasPostgres(): boolean {
  if (findPrograms() !== undefined) return true;
  const problem = `PostgreSQL is not installed below ${root}: what is stored is tested with SQLite alone`;
  if (process.env.CI) throw new Error(problem);
  process.stderr.write(`${problem}\n`);
  return false;
}

/** An account to run a program by; none of its own where that is the test's. */
type Account = { readonly uid?: number; readonly gid?: number };

/**
 * An empty cluster at `data`. One is made for each version of PostgreSQL, beside what is installed, and copied after
 * that: making it costs more than most tests of it.
 */
function copyEmptyCluster(programs: string, data: string, as: Account): void {
  const empty = resolve("node_modules/.cache/logweir-postgres", programs.replaceAll("/", "_"));
  if (!existsSync(empty)) {
    const flags = [
      "-U",
      "logweir",
      "--auth=trust",
      "--no-sync",
      "-E",
      "UTF8",
      "--locale-provider=icu",
      "--icu-locale=en",
    ];
    const stdio = ["ignore", "ignore", "inherit"] as const;
    execFileSync(join(programs, "initdb"), ["-D", data, ...flags], { ...as, cwd: dirname(data), stdio: [...stdio] });
    mkdirSync(dirname(empty), { recursive: true });
    const made = mkdtempSync(`${empty}.`);
    execFileSync("cp", ["-a", data, made]);
    try {
      renameSync(made, empty);
    } catch {
      // Another worker has made one in the meantime.
      rmSync(made, { recursive: true });
    }
    return;
  }
  execFileSync("cp", ["-a", join(empty, basename(data)), data]);
}

/** Makes a cluster and starts it, in less than a second. PostgreSQL refuses to run as root: then it runs as `nobody`. */
export async function startPostgres(serverSettings: readonly string[] = []): Promise<PostgresCluster> {
  const programs = findPrograms();
  if (programs === undefined) throw new Error(`PostgreSQL is not installed below ${root}`);
  const folder = mkdtempSync(join(tmpdir(), "logweir-postgres-"));
  const data = join(folder, "data");
  const nobody = 65_534;
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    // The folder of the run is its owner's alone.
    chmodSync(tmpdir(), statSync(tmpdir()).mode | 0o011);
    chownSync(folder, nobody, nobody);
  }
  const as = isRoot ? { uid: nobody, gid: nobody } : {};
  copyEmptyCluster(programs, data, as);
  // Whoever is named `guarded` has a password.
  const access = join(data, "pg_hba.conf");
  writeFileSync(access, `host all guarded all scram-sha-256\n${readFileSync(access, "utf8")}`);
  let server: ChildProcess | undefined;
  let databases = 0;
  const port = await freePort();
  const start = async () => {
    const settings = ["fsync=off", "listen_addresses=127.0.0.1", ...serverSettings].flatMap((each) => ["-c", each]);
    const started = spawn(join(programs, "postgres"), ["-D", data, "-p", String(port), "-k", folder, ...settings], {
      ...as,
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
    });
    let errors = "";
    started.stderr.on("data", (chunk: Buffer) => {
      errors = `${errors}${chunk.toString()}`.slice(-5_000);
    });
    server = started;
    await waitUntil(() => started.exitCode !== null || answers(folder, port));
    if (started.exitCode !== null) throw new Error(`PostgreSQL did not start:\n${errors}`);
  };
  const end = async (signal: NodeJS.Signals) => {
    const ended = server;
    server = undefined;
    if (ended === undefined || ended.exitCode !== null) return;
    const exited = new Promise((resolve) => ended.once("exit", resolve));
    const children = signal === "SIGKILL" ? childrenOf(ended.pid ?? 0) : [];
    for (const pid of children) signalTo(pid, signal);
    ended.kill(signal);
    await exited;
    // The next server refuses to start while one of them is there.
    await waitUntil(() => !children.some((pid) => existsSync(`/proc/${pid}`)));
  };
  const sql = (database: string, statements: string) =>
    execFileSync(join(programs, "psql"), ["-h", "127.0.0.1", "-p", String(port), "-U", "logweir", "-XqAtd", database], {
      input: statements,
      encoding: "utf8",
    });
  await start();
  return {
    port,
    createDatabase() {
      const name = `logweir_${++databases}`;
      sql("postgres", `CREATE DATABASE ${name}`);
      return `postgres://logweir@127.0.0.1:${port}/${name}`;
    },
    empty(url) {
      sql(new URL(url).pathname.slice(1), EMPTY_TABLES);
    },
    sql,
    kill: () => end("SIGKILL"),
    restart: start,
    freeze(isFrozen) {
      const pid = server?.pid ?? 0;
      for (const each of [pid, ...childrenOf(pid)]) signalTo(each, isFrozen ? "SIGSTOP" : "SIGCONT");
    },
    async stop() {
      await end("SIGQUIT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A port that the system gives to nobody else for a while: PostgreSQL does not choose one by itself. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself.
  }
}

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return text === "" ? [] : text.split(" ").map(Number);
}

/** Whether it takes connections: the socket is there before it does. */
function answers(folder: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(join(folder, `.s.PGSQL.${port}`));
    // A request for TLS is answered as soon as it takes connections; what comes up has its start-up packet refused.
    socket.once("connect", () => {
      const packet = Buffer.from("\0\0\0\0\0\x03\0\0user\0logweir\0database\0postgres\0\0", "latin1");
      packet.writeInt32BE(packet.length, 0);
      socket.write(packet);
    });
    socket.once("data", (bytes) => {
      socket.destroy();
      resolve(bytes[0] === 0x52);
    });
    socket.once("error", () => resolve(false));
    socket.once("close", () => resolve(false));
  });
}
