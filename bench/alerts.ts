/**
 * Measures what alerts cost, `npm run bench:alerts`: processor time of the service and its engine with so many alerts
 * that run each minute over the sample events, beside the same queries at the same pace over the API, and beside rest,
 * in turns on one service.
 */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Command } from "commander";
import { type HttpClient, openHttpClient } from "./http-client.ts";
import { parseCount } from "./options.ts";
import { startProcess, token } from "./peers/logweir.ts";
import { treeCpuSeconds, waitForRest } from "./processes.ts";
import { formatTable, ratioText } from "./report.ts";
import { rootFolder } from "./root.ts";
import { quantileOf } from "./statistics.ts";

interface Flags {
  readonly alerts: number;
  readonly seconds: number;
  readonly rounds: number;
  readonly dir: string;
}

/** Processor time of one turn, as a share of one core, and how many queries ran in it. */
interface Turn {
  readonly share: number;
  readonly runCount: number;
}

const recent = "timestamp BETWEEN TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 HOUR) AND CURRENT_TIMESTAMP()";

/** No two queries are the same text. */
function queryOf(index: number): string {
  switch (index % 3) {
    case 0:
      return `SELECT project, COUNT(*) AS n FROM edge WHERE ${recent} AND metadata.response.status_code >= ${400 + index} GROUP BY project`;
    case 1:
      return `SELECT COUNT(*) AS n FROM \`postgres.logs\` WHERE ${recent} AND STRPOS(event_message, 'failure ${index}') > 0`;
    default:
      return `SELECT project, APPROX_QUANTILES(metadata.response.origin_time, 100)[OFFSET(95)] AS n FROM edge WHERE ${recent} AND metadata.request.path != '/${index}' GROUP BY project`;
  }
}

function writeAlerts(folder: string, count: number): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (let index = 0; index < count; index++) {
    const grouped = index % 3 === 1 ? {} : { group_by: ["project"] };
    const alert = { sql: queryOf(index), every: "1m", when: { column: "n", op: ">", value: 1e9 }, ...grouped };
    writeFileSync(join(folder, `alert-${index}.yaml`), JSON.stringify(alert));
  }
}

class Bench {
  readonly #client: HttpClient;
  readonly #pid: number;
  readonly #flags: Flags;
  readonly #folder: string;

  constructor(client: HttpClient, pid: number, flags: Flags, folder: string) {
    this.#client = client;
    this.#pid = pid;
    this.#flags = flags;
    this.#folder = folder;
  }

  async setAlerts(count: number): Promise<void> {
    writeAlerts(this.#folder, count);
    const before = await this.#runCount();
    await this.#send("POST", "/api/reload", {});
    // All run at once when they are new.
    while ((await this.#runCount()) < before + count) await pause(200);
    await waitForRest([this.#pid]);
  }

  async rest(): Promise<Turn> {
    return this.#measure(async () => {
      await pause(this.#flags.seconds * 1_000);
      return 0;
    });
  }

  async runAlerts(): Promise<Turn> {
    return this.#measure(async () => {
      const before = await this.#runCount();
      await pause(this.#flags.seconds * 1_000);
      return (await this.#runCount()) - before;
    });
  }

  /** Each query begins when an alert's would, whether earlier ones have ended or not. */
  async callApi(): Promise<Turn> {
    const { alerts, seconds } = this.#flags;
    return this.#measure(async () => {
      const count = Math.round((alerts * seconds) / 60);
      const startedAt = performance.now();
      const calls: Promise<unknown>[] = [];
      for (let index = 0; index < count; index++) {
        await pause(Math.max(0, startedAt + (index * 60_000) / alerts - performance.now()));
        calls.push(this.#send("POST", "/api/query", { sql: queryOf(index % alerts) }));
      }
      await Promise.all(calls);
      return count;
    });
  }

  async #measure(work: () => Promise<number>): Promise<Turn> {
    const [cpu, startedAt] = [treeCpuSeconds(this.#pid), performance.now()];
    const runCount = await work();
    return { share: ((treeCpuSeconds(this.#pid) - cpu) * 1_000) / (performance.now() - startedAt), runCount };
  }

  async #send(method: "GET" | "POST", path: string, body?: object): Promise<string> {
    const sent = body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) };
    const answer = await this.#client.send({ method, path, ...sent });
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.body.toString()}`);
    return answer.body.toString();
  }

  /** Fails once a run has failed: its cost would be another. */
  async #runCount(): Promise<number> {
    const text = await this.#send("GET", "/metrics");
    const of = (outcome: string) =>
      Number(new RegExp(`^logweir_alert_runs_total\\{outcome="${outcome}"\\} (\\d+)`, "m").exec(text)?.[1] ?? 0);
    if (of("failed") > 0) throw new Error("Runs of alerts failed");
    return of("quiet") + of("met");
  }
}

async function measure(flags: Flags): Promise<void> {
  const alertFolder = join(flags.dir, "alerts");
  rmSync(flags.dir, { recursive: true, force: true });
  writeAlerts(alertFolder, 0);
  const settings = {
    LOGWEIR_ENDPOINTS_DIR: join(rootFolder, "endpoints"),
    LOGWEIR_SOURCES_DIR: join(rootFolder, "sources"),
    LOGWEIR_ALERTS_DIR: alertFolder,
    LOGWEIR_MAX_REQUESTS_PER_MINUTE: "1000000",
  };
  const { child, url } = startProcess(flags.dir, settings, rootFolder, ["--demo"]);
  const client = openHttpClient(await url, token, 64);
  try {
    const bench = new Bench(client, child.pid ?? 0, flags, alertFolder);
    const turns: { rest: Turn; alerts: Turn; api: Turn }[] = [];
    for (let round = 0; round < flags.rounds; round++) {
      await bench.setAlerts(flags.alerts);
      const alerts = await bench.runAlerts();
      await bench.setAlerts(0);
      turns.push({ alerts, api: await bench.callApi(), rest: await bench.rest() });
    }
    print(turns);
  } finally {
    client.close();
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await ended;
    rmSync(flags.dir, { recursive: true, force: true });
  }
}

function print(turns: readonly { readonly rest: Turn; readonly alerts: Turn; readonly api: Turn }[]): void {
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  const lanes = [
    ["alerts", "alerts"],
    ["the same queries over the API", "api"],
    ["neither", "rest"],
  ] as const;
  const rows = lanes.map(([title, lane]) => {
    const shares = turns.map((turn) => turn[lane].share);
    const runs = turns.map((turn) => turn[lane].runCount);
    return [
      title,
      String(quantileOf(runs, 0.5)),
      ...[0.5, 0, 1].map((quantile) => percent(quantileOf(shares, quantile))),
    ];
  });
  console.log(formatTable(["share of one core", "queries", "median", "least", "most"], rows));
  const ratios = turns.map(({ alerts, api, rest }) => (alerts.share - rest.share) / (api.share - rest.share));
  console.log(`\nalerts to the API, without what rest takes: ${ratioText(quantileOf(ratios, 0.5))}`);
}

await new Command("npm run bench:alerts --")
  .description("Measures what alerts cost, beside the same queries over the API.")
  .option("--alerts <n>", "alerts, each of which runs every minute", parseCount, 1_000)
  .option("--seconds <n>", "length of a turn", parseCount, 60)
  .option("--rounds <n>", "turns of each", parseCount, 3)
  .option("--dir <folder>", "folder of the store", join(tmpdir(), "logweir-bench-alerts"))
  .action(measure)
  .parseAsync();
