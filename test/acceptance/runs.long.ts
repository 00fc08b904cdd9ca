import { execFile } from "node:child_process";
import { once } from "node:events";
import { chmod, lstat, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { privateToken, type ServiceProcess, startServiceProcess } from "./service.ts";

let folder: string;
let dataDir: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logweir-runs-"));
  dataDir = join(folder, "data");
  // The usual mask, which processes that are started inherit.
  process.umask(0o022);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Everything below a folder, and itself, that users beside its owner have any right to. */
async function openToOthers(path: string): Promise<readonly string[]> {
  const found = await lstat(path);
  const own = (found.mode & 0o077) === 0 ? [] : [`${(found.mode & 0o777).toString(8)} ${path}`];
  const names = found.isDirectory() ? await readdir(path) : [];
  const below = await Promise.all(names.map((name) => openToOthers(join(path, name))));
  return [...own, ...below.flat()];
}

async function openAll(path: string): Promise<void> {
  const isFolder = (await lstat(path)).isDirectory();
  await chmod(path, isFolder ? 0o755 : 0o644);
  for (const name of isFolder ? await readdir(path) : []) await openAll(join(path, name));
}

const linesOf = ({ output }: ServiceProcess) =>
  output()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as { readonly level: string; readonly msg: string });
const runLines = (service: ServiceProcess) =>
  linesOf(service)
    .filter(({ msg }) => msg.startsWith("The service "))
    .map(({ level, msg }) => `${level}: ${msg.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, "TIME")}`);

/** Ends a service by signals, and returns its exit code or signal once its output is read. */
async function end(service: ServiceProcess, ...signals: readonly NodeJS.Signals[]): Promise<unknown> {
  const closed = once(service.process, "close");
  for (const signal of signals) service.process.kill(signal);
  const [code, signal] = (await closed) as readonly unknown[];
  return signal ?? code;
}

it("only its user may read any file of a service and of an older folder", async () => {
  await mkdir(join(dataDir, "more"), { recursive: true });
  await writeFile(join(dataDir, "more", "older.txt"), "older");
  await openAll(dataDir);
  const service = await startServiceProcess({ dataDir });
  await service.ingest("edge", [{ id: "a", project: "p" }]);
  await service.rows("logs.all", { project: "p" });
  const created = await fetch(`${service.url}/api/access-tokens`, {
    method: "POST",
    headers: { "X-API-KEY": privateToken, "Content-Type": "application/json" },
    body: JSON.stringify({ scopes: ["query"] }),
  });
  expect(created.status).toBe(201);
  expect(await openToOthers(dataDir)).toEqual([]);
  expect(await end(service, "SIGTERM")).toBe(0);
  expect(await openToOthers(dataDir)).toEqual([]);
});

it("only its user may read any file of a backup", async () => {
  const service = await startServiceProcess({ dataDir: join(folder, "copied") });
  await service.ingest("edge", [{ id: "a", project: "p" }]);
  const backup = join(folder, "backup");
  const environment = { PATH: process.env.PATH, LOGWEIR_URL: service.url, LOGWEIR_TOKEN: privateToken };
  await promisify(execFile)(process.execPath, [resolve("dist/logweir.js"), "backup", backup], { env: environment });
  expect((await readdir(backup)).length).toBeGreaterThan(1);
  expect(await openToOthers(backup)).toEqual([]);
  expect(await end(service, "SIGTERM")).toBe(0);
});

it("the log says of each run why it ended, as far as it could, and the next run repeats it", async () => {
  const started = "info: The service starts; the run before it ended cleanly: SIGTERM";
  await openAll(dataDir);
  const killed = await startServiceProcess({ dataDir });
  expect(await openToOthers(dataDir)).toEqual([]);
  expect(await end(killed, "SIGKILL")).toBe("SIGKILL");
  expect(runLines(killed)).toEqual([started]);

  const interrupted = await startServiceProcess({ dataDir });
  expect(await end(interrupted, "SIGINT")).toBe(0);
  const silent = "without a word, as at a SIGKILL, a crash or a power failure";
  expect(runLines(interrupted)).toEqual([
    `warn: The service starts; the run before it, of TIME, did not end cleanly: ${silent}`,
    "info: The service stops: SIGINT",
    "info: The service has ended cleanly: SIGINT",
  ]);
  expect(linesOf(interrupted).at(-1)?.msg).toBe("The service has ended cleanly: SIGINT");

  // Fails in the middle of a run, by an error that nothing catches.
  const fault = "process.once('SIGUSR2',()=>setImmediate(()=>{throw new RangeError('secret')}))";
  const crashing = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(fault)}` };
  const crashed = await startServiceProcess({ dataDir, env: crashing });
  expect(await end(crashed, "SIGUSR2")).toBe(1);
  const crash = "uncaughtException of RangeError";
  expect(runLines(crashed)).toEqual([
    "info: The service starts; the run before it ended cleanly: SIGINT",
    `fatal: The service ends at once: ${crash}`,
  ]);
  expect(linesOf(crashed).some(({ msg }) => msg.includes("secret"))).toBe(false);

  const impatient = await startServiceProcess({ dataDir });
  const slow = fetch(`${impatient.url}/api/logs?source_name=edge&api_key=${privateToken}`, {
    method: "POST",
    body: new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode("{")) }),
    duplex: "half",
  } as RequestInit).catch(() => undefined);
  await expect.poll(async () => (await impatient.get("/health", {}, {})).status).toBe(200);
  impatient.process.kill("SIGTERM");
  await expect.poll(() => runLines(impatient).length).toBe(2);
  expect(await end(impatient, "SIGTERM")).toBe("SIGTERM");
  await slow;
  expect(runLines(impatient)).toEqual([
    `warn: The service starts; the run before it, of TIME, did not end cleanly: ${crash}`,
    "info: The service stops: SIGTERM",
    "fatal: The service ends at once: a second signal, SIGTERM",
  ]);
});
