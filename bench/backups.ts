/**
 * Measures how much backups grow, `npm run bench:backups`: a service takes in events and is backed up to one folder
 * again and again, after appends only, after nothing, after a compaction, after a restart and after a deletion. Printed
 * for each are the bytes that events added to the store, the bytes that the folder grew by, and the bound, 1.2 times the
 * new bytes and 64 MB. At the end every backup is verified, and the newest restored.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { createSupply } from "./event-supply.ts";
import { defaultEndMs } from "./events.ts";
import { type LogweirPeer, startLogweir, token } from "./peers/logweir.ts";
import { folderBytes } from "./processes.ts";
import { formatTable } from "./report.ts";
import { rootFolder } from "./root.ts";

interface Flags {
  readonly events: string;
  readonly dir: string;
}

const batchEvents = 1000;
const boundBytes = 64e6;

const flags = new Command("bench:backups")
  .option("--events <number>", "events of the first backup; each step adds a fifth", "500000")
  .option("--dir <folder>", "where the store and the backups are made", join(tmpdir(), "logweir-bench-backups"))
  .parse()
  .opts<Flags>();

const eventCount = Number(flags.events);
const backups = join(flags.dir, "backups");
const supply = createSupply({ seed: 20260820, eventCount: batchEvents, endMs: defaultEndMs });

rmSync(flags.dir, { recursive: true, force: true });
mkdirSync(backups, { recursive: true });
let service: LogweirPeer = await startLogweir(flags.dir, defaultEndMs);
const rows: string[][] = [];
const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);

function logweir(args: readonly string[], environment: Readonly<Record<string, string>> = {}): string {
  const env = { ...process.env, LOGWEIR_URL: service.url, LOGWEIR_TOKEN: token, ...environment };
  return execFileSync(process.execPath, ["bin/logweir.mjs", ...args], {
    cwd: rootFolder,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
}

/** Bytes of the store that hold something, without its log. */
async function usedBytes(): Promise<number> {
  const { body } = await service.client.send({ method: "GET", path: "/api/store" });
  const state = JSON.parse(body.toString()) as { readonly file_bytes: number; readonly reusable_bytes: number };
  return state.file_bytes - state.reusable_bytes;
}

async function load(count: number): Promise<number> {
  let sent = 0;
  const batches = Array.from({ length: Math.ceil(count / batchEvents) }, () => supply.take(batchEvents));
  for (const batch of batches) sent += batch.reduce((sum, { json }) => sum + json.length, 0);
  await service.load(batches);
  return sent;
}

/** Backs up what the store has after a step, and adds its row. */
async function backUp(step: string, sentBytes: number, usedBefore: number): Promise<number> {
  const before = folderBytes(backups);
  const begun = performance.now();
  logweir(["backup", backups]);
  const seconds = (performance.now() - begun) / 1000;
  const grown = folderBytes(backups) - before;
  const used = await usedBytes();
  const added = Math.max(0, used - usedBefore);
  rows.push([
    step,
    megabytes(sentBytes),
    megabytes(used),
    megabytes(added),
    megabytes(grown),
    added < 1e6 ? "" : (grown / added).toFixed(2),
    grown <= 1.2 * added + boundBytes ? "within" : "beyond",
    seconds.toFixed(1),
  ]);
  return used;
}

async function restart(): Promise<void> {
  await service.stop();
  service = await startLogweir(flags.dir, defaultEndMs);
}

const fifth = eventCount / 5;
const sent = await load(eventCount);
await service.waitForCompaction();
let used = await backUp("the first backup", sent, 0);
used = await backUp("appends only", await load(fifth), used);
used = await backUp("nothing", 0, used);
await service.waitForCompaction();
used = await backUp("a compaction of these", 0, used);
used = await backUp("appends only, again", await load(fifth), used);
await service.waitForCompaction();
await restart();
used = await backUp("a compaction and a restart", 0, used);
await restart();
used = await backUp("a restart and appends", await load(fifth), used);
await service.waitForCompaction();
used = await backUp("a compaction", 0, used);
const from = new Date(defaultEndMs + fifth).toISOString();
const to = new Date(defaultEndMs + 3 * fifth).toISOString();
const query = new URLSearchParams({ from, to }).toString();
const deletion = await fetch(`${service.url}/api/sources/edge/events?${query}`, {
  method: "DELETE",
  headers: { "x-api-key": token },
});
const answer = await deletion.text();
if (!deletion.ok) throw new Error(`The service deleted nothing: ${deletion.status} ${answer}`);
used = await backUp(`a deletion: ${answer}`, 0, used);
await service.waitForCompaction();
used = await backUp("and its space given back", 0, used);
await backUp("appends after a deletion", await load(fifth), used);

const heads = ["AFTER", "SENT MB", "USED MB", "NEW MB", "COPIED MB", "RATIO", "BOUND", "SECONDS"];
console.log(formatTable(heads, rows));
logweir(["backup", "verify", backups]);
console.log(logweir(["restore", backups], { LOGWEIR_DATA_DIR: join(flags.dir, "restored") }).trim());
console.log(logweir(["backup", "prune", backups, "--keep", "1"]).trim());
console.log(`The folder has ${megabytes(folderBytes(backups))} MB then`);
await service.stop();
