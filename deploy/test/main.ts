/**
 * `npm run image:test`: builds the image of `deploy/Dockerfile` with buildah and runs it as Compose does: non-root,
 * with a read-only root and a volume. Where no image registry is in reach, its two base images are stood in for by
 * Debian packages and Node.js of npm. Needs root, the right to mount, dpkg and apt-get; with CI=true it installs buildah
 * and curl where they are missing. Prints each check, and exits with 1 when one fails; where what it needs cannot be
 * had, it says so and exits with 0.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { apt, endAfter, findProgram, installPackages, provideProgram } from "../../bin/debian.mjs";
import { makeBases } from "./stand-in-bases.ts";

const maxImageMegabytes = 260;
const maxIdleMegabytes = 180;
/** No command of the test takes so long, but one that hangs. */
const commandLimitMs = 150_000;
const token = "image-test-token-0123456789";
const port = 47_123;

/** Runs a command to its end; its output, or an error with it. */
export function run(command: string, args: readonly string[], cwd = process.cwd()): string {
  const options = { cwd, encoding: "utf8", maxBuffer: 1e9, timeout: commandLimitMs } as const;
  const { status, stdout, stderr, error } = spawnSync(command, args, options);
  const outcome = status ?? error?.message;
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${outcome}:\n${stdout}${stderr}`);
  return stdout.trim();
}

const buildah = (...args: string[]) => run("buildah", ["--storage-driver", "vfs", ...args]);

let failures = 0;
function check(title: string, isRight: boolean, detail: string): void {
  if (!isRight) failures++;
  process.stdout.write(`${isRight ? "ok  " : "FAIL"} ${title}: ${detail}\n`);
}

/**
 * The container's processes see its root read-only, `/data` as a volume and an empty `/tmp`, and run as the image's
 * user.
 */
class Container {
  readonly #process: ReturnType<typeof spawn>;
  output = "";

  constructor(root: string, volume: string) {
    const script = [
      `mount --bind ${root} ${root} && mount -o remount,ro,bind ${root}`,
      `mount --bind ${volume} ${root}/data && mount -t tmpfs tmpfs ${root}/tmp && mount -t proc proc ${root}/proc`,
      `mount --rbind /dev ${root}/dev`,
      `exec chroot --userspec=10001:10001 ${root} /bin/sh -c "cd /etc/logweir && exec logweir serve"`,
    ].join(" && ");
    const env = {
      PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
      LOGWEIR_HOST: "0.0.0.0",
      LOGWEIR_PORT: String(port),
      LOGWEIR_DATA_DIR: "/data",
      LOGWEIR_PRIVATE_TOKEN: token,
      NODE_ENV: "production",
    };
    this.#process = spawn("unshare", ["--mount", "--fork", "--kill-child=SIGKILL", "sh", "-c", script], { env });
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        this.output += chunk.toString();
      });
    }
  }

  async isHealthy(): Promise<boolean> {
    for (let attempt = 0; attempt < 100; attempt++) {
      const { status } = spawnSync("sh", [
        "-c",
        `curl -sSfL --max-time 5 -o /dev/null http://localhost:${port}/health`,
      ]);
      if (status === 0) return true;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    return false;
  }

  /** The service's process and its engine's. */
  pids(): number[] {
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    return pids.filter((pid) => this.#isOurs(pid)).map(Number);
  }

  #isOurs(pid: string): boolean {
    try {
      const isNode = readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("/logweir");
      return isNode && /^Uid:\s+10001\s/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
    } catch {
      // It ended meanwhile.
      return false;
    }
  }

  /** Ends what does not end by itself. */
  kill(): void {
    this.#process.kill("SIGKILL");
  }

  /** Sends the image's stop signal to the service and answers its exit code. */
  async stop(): Promise<number | null> {
    const ended = new Promise<number | null>((resolve) => this.#process.once("exit", resolve));
    const [service] = this.pids().sort((a, b) => a - b);
    process.kill(service ?? this.#process.pid ?? 0, "SIGTERM");
    return ended;
  }
}

/** Returns the memory of the process, including its share of what it has in common with the other one. */
function residentMegabytes(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0) / 1000;
}

const call = (path: string, init: RequestInit = {}) =>
  fetch(`http://localhost:${port}${path}`, {
    ...init,
    headers: { "x-api-key": token, ...init.headers },
    signal: AbortSignal.timeout(20_000),
  });

/** The event that Vector sends for one line of a gateway's container. */
const vectorPayload = JSON.stringify([
  {
    appname: "supabase-kong",
    event_message: "GET /rest/v1/todos 200",
    project: "default",
    timestamp: new Date().toISOString(),
    metadata: {
      request: { method: "GET", path: "/rest/v1/todos", protocol: "HTTP/1.1" },
      response: { status_code: 200 },
    },
  },
]);

async function countRows(): Promise<number> {
  const response = await call("/api/endpoints/query/logs.all?project=default");
  const { result } = (await response.json()) as { result: readonly unknown[] };
  return result.length;
}

/** Returns the reason why this machine cannot run the test; undefined if it can. */
function findLack(): string | undefined {
  if (process.getuid?.() !== 0) return "it needs root";
  const missing = ["dpkg", "apt-get", "unshare"].filter((program) => findProgram(program) === undefined);
  if (missing.length > 0) return `it needs ${missing.join(", ")}`;
  const works = (command: string, ...args: string[]) =>
    spawnSync(command, args, { stdio: "ignore", timeout: 30_000 }).status === 0;
  if (!works("unshare", "--mount", "true")) return "it needs the right to mount";
  const folder = mkdtempSync(join(tmpdir(), "logweir-image-"));
  try {
    apt(["download", "libc6"], folder);
  } catch {
    return "Debian's packages are out of reach";
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  for (const program of ["curl", "buildah"]) {
    if (provideProgram(program, program) === undefined) return `it needs ${program}, which root installs with CI=true`;
  }
  const canBuild = 'c=$(buildah --storage-driver vfs from scratch) && buildah --storage-driver vfs rm "$c"';
  // It looks for netavark before it makes any container, and Debian only recommends that.
  if (!works("sh", "-c", canBuild)) installPackages("netavark");
  return works("sh", "-c", canBuild) ? undefined : "buildah cannot make containers here";
}

async function main(): Promise<void> {
  const lack = findLack();
  if (lack !== undefined) {
    process.stdout.write(`left out: ${lack}\n`);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "logweir-image-"));
  endAfter(280, () => {
    for (const container of started) container.kill();
  });
  try {
    makeBases(folder, buildah);
    buildah(
      "bud",
      "--isolation",
      "chroot",
      ...npmMounts(folder),
      "--pull-never",
      "-f",
      "deploy/Dockerfile",
      "-t",
      "logweir",
      ".",
    );
    const container = buildah("from", "--pull-never", "logweir");
    const root = buildah("mount", container);
    const megabytes = Number(run("du", ["-sx", "--block-size=1000000", root]).split("\t")[0]);
    check(
      "size of the image",
      megabytes <= maxImageMegabytes,
      `${megabytes} MB unpacked (at most ${maxImageMegabytes})`,
    );
    const config = buildah("inspect", "--format", "{{.OCIv1.Config.User}} {{.OCIv1.Config.StopSignal}}", container);
    check("user and stop signal", config === "10001:10001 SIGTERM", config);
    const version = buildah("run", "--isolation", "chroot", container, "--", "logweir", "--version");
    check("the command line", version === readVersion(), version);
    const volume = join(folder, "volume");
    mkdirSync(volume);
    run("chown", ["10001:10001", volume]);
    await runService(root, volume);
    buildah("rm", container);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  process.exitCode = failures === 0 ? 0 : 1;
}

/**
 * This machine's way to the npm registry, for the build alone: its settings, and an authority that Node.js is told to
 * trust.
 */
function npmMounts(folder: string): readonly string[] {
  const own = join(homedir(), ".npmrc");
  const authority = process.env.NODE_EXTRA_CA_CERTS;
  const lines = [
    existsSync(own) ? readFileSync(own, "utf8") : "",
    authority === undefined ? "" : "cafile=/root/ca.pem",
  ];
  const npmrc = join(folder, "npmrc");
  writeFileSync(npmrc, `${lines.join("\n")}\n`);
  const mounts = ["--volume", `${npmrc}:/root/.npmrc:ro`];
  return authority === undefined ? mounts : [...mounts, "--volume", `${authority}:/root/ca.pem:ro`];
}

/** Returns the memory of the container once it is idle, which may take a minute on a busy machine. */
async function idleMegabytes(container: Container): Promise<number> {
  let memory = Number.POSITIVE_INFINITY;
  for (let waits = 0; waits < 4 && memory > maxIdleMegabytes; waits++) {
    await new Promise((resolve) => setTimeout(resolve, 15_000));
    memory = container.pids().reduce((sum, pid) => sum + residentMegabytes(pid), 0);
  }
  return memory;
}

const started: Container[] = [];

function startContainer(root: string, volume: string): Container {
  const container = new Container(root, volume);
  started.push(container);
  return container;
}

async function runService(root: string, volume: string): Promise<void> {
  const first = startContainer(root, volume);
  check("Compose's health check", await first.isHealthy(), "curl -sSfL -o /dev/null localhost/health");
  const head = await call("/health", { method: "HEAD" });
  check("the command line tool's health check", head.status === 200, `HEAD /health: ${head.status}`);
  const memory = await idleMegabytes(first);
  check(
    "memory when idle",
    memory > 0 && memory <= maxIdleMegabytes,
    `${Math.round(memory)} MB (at most ${maxIdleMegabytes})`,
  );
  const sent = await call("/api/logs?source_name=cloudflare.logs.prod", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: vectorPayload,
  });
  check("Vector's payload", sent.status === 200, `${sent.status} ${await sent.text()}`);
  check("its event", (await countRows()) === 1, `${await countRows()} rows`);
  const code = await first.stop();
  check("the stop signal", code === 0, `exit code ${code}`);
  const second = startContainer(root, volume);
  check("a start over the same volume", await second.isHealthy(), "healthy");
  check("the event is still there", (await countRows()) === 1, `${await countRows()} rows`);
  await second.stop();
  if (failures > 0) writeFileSync(join(tmpdir(), "logweir-image-test.log"), first.output + second.output);
}

function readVersion(): string {
  return (JSON.parse(readFileSync("package.json", "utf8")) as { readonly version: string }).version;
}

await main();
