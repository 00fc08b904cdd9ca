/** Finds PostgreSQL on this machine and runs a server of our own on a folder. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";

export interface PostgresServer {
  readonly child: ChildProcess;
  readonly socketPath: string;
  readonly user: string;
}

const port = 5432;

/** The folder that holds `initdb` and `postgres`: on the path, or where Debian puts it. */
export function findPostgres(): string | undefined {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, "bin")),
    ...(process.env.PATH ?? "").split(delimiter),
  ];
  return folders.find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")));
}

/** PostgreSQL refuses to run as root; then its own user runs it. */
function findUser(): { readonly name: string; readonly ids?: { readonly uid: number; readonly gid: number } } {
  if (process.getuid?.() !== 0) return { name: "bench" };
  const read = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { name: "bench", ids: { uid: read("-u"), gid: read("-g") } };
}

/** Settings that a careful owner of a small machine would choose; everything that durability depends on stays on. */
const settings: readonly string[] = [
  "listen_addresses=",
  "fsync=on",
  "synchronous_commit=on",
  "full_page_writes=on",
  "shared_buffers=1GB",
  "work_mem=64MB",
  "maintenance_work_mem=512MB",
  "effective_cache_size=6GB",
  "max_wal_size=8GB",
  "random_page_cost=1.1",
  "timezone=UTC",
];

/** Starts a server on `folder`, making the cluster when it is missing. */
export function startServer(binaries: string, folder: string): PostgresServer {
  const user = findUser();
  const data = join(folder, "cluster");
  mkdirSync(folder, { recursive: true });
  if (user.ids !== undefined) chownSync(folder, user.ids.uid, user.ids.gid);
  chmodSync(folder, 0o700);
  const options = { cwd: folder, ...user.ids };
  if (!existsSync(join(data, "PG_VERSION"))) {
    const made = spawnSync(
      join(binaries, "initdb"),
      ["-D", data, "-U", user.name, "-A", "trust", "-E", "UTF8", "--no-locale"],
      { ...options, encoding: "utf8" },
    );
    if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  }
  const flags = [...settings, `unix_socket_directories=${folder}`].flatMap((setting) => ["-c", setting]);
  const child = spawn(join(binaries, "postgres"), ["-D", data, "-p", String(port), ...flags], {
    ...options,
    stdio: "ignore",
  });
  return { child, socketPath: join(folder, `.s.PGSQL.${port}`), user: user.name };
}
