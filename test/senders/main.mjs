/**
 * Runs published senders unchanged against a service, and looks for their events afterwards. The packages are no
 * dependencies of ours: they are installed in a folder of their own (`npm run senders`, or with a folder that has
 * them: `npm run senders -- FOLDER`).
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { senders } from "./senders.mjs";

const packages = [
  "pino@8.21.0",
  "pino-logflare@0.5.2",
  "logflare-transport-core@0.4.1",
  "@loglayer/transport-logflare@2.3.0",
  "loglayer@9.4.0",
  "winston@3.19.0",
  "@opentelemetry/exporter-logs-otlp-http@0.301.0",
  "@opentelemetry/exporter-logs-otlp-proto@0.301.0",
  "@opentelemetry/sdk-logs@3.1.0",
  "winston-loki@6.1.7",
  "pino-loki@3.0.0",
  "@elastic/elasticsearch@9.5.1",
  "splunk-logging@0.11.1",
];
const token = "senders-private-token-0123456789abcdef";

function install() {
  const folder = mkdtempSync(join(tmpdir(), "logweir-senders-"));
  writeFileSync(join(folder, "package.json"), '{"private":true}');
  const flags = ["--legacy-peer-deps", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  execFileSync("npm", ["install", "--prefix", folder, ...flags, ...packages], { stdio: "inherit" });
  return folder;
}

/** A service of its own; resolves with its address once it listens. */
async function start(dataDir) {
  const child = spawn(process.execPath, ["bin/logweir.mjs", "serve"], {
    env: { PATH: process.env.PATH, LOGWEIR_PORT: "0", LOGWEIR_DATA_DIR: dataDir, LOGWEIR_PRIVATE_TOKEN: token },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const url = await new Promise((resolve, reject) => {
    let output = "";
    const read = (chunk) => {
      output += chunk;
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0];
      if (address !== undefined) resolve(address);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", (code) => reject(new Error(`The service ended with ${code}:\n${output}`)));
  });
  return { url, stop: () => child.kill() };
}

const given = process.argv[2];
const folder = given ?? install();
const dataDir = mkdtempSync(join(tmpdir(), "logweir-senders-data-"));
const service = await start(dataDir);
let failed = 0;
for (const [name, send] of Object.entries(senders)) {
  const problem = await check(name, send);
  if (problem !== undefined) failed++;
  process.stdout.write(
    `${problem === undefined ? "ok    " : "FAILED"} ${name}${problem === undefined ? "" : `: ${problem}`}\n`,
  );
}
service.stop();
rmSync(dataDir, { recursive: true, force: true });
if (given === undefined) rmSync(folder, { recursive: true, force: true });
process.exit(failed === 0 ? 0 : 1);

/** Returns the problem; undefined if every event was found as expected. */
async function check(name, send) {
  try {
    const { source, expected } = await send({ url: service.url, token, modules: join(folder, "node_modules") });
    const deadline = Date.now() + 10_000;
    let problem;
    do {
      await new Promise((resolve) => setTimeout(resolve, 200));
      problem = compare(await readEvents(source), expected);
    } while (problem !== undefined && Date.now() < deadline);
    return problem;
  } catch (error) {
    return `${name} threw ${error?.stack ?? error}`;
  }
}

async function readEvents(source) {
  const sql = `select timestamp, event_message, to_json_string(t) as whole from \`${source}\` as t`;
  const response = await fetch(`${service.url}/api/query?${new URLSearchParams({ sql })}`, {
    headers: { "x-api-key": token },
  });
  if (response.status !== 200) throw new Error(await response.text());
  return (await response.json()).result;
}

/**
 * Each expected event is there: its message, its time within a minute of now unless given, and every text of
 * `contains`.
 */
function compare(rows, expected) {
  for (const { message, us, contains = [] } of expected) {
    const row = rows.find((each) => each.event_message === message);
    if (row === undefined) return `no event ${JSON.stringify(message)} among ${JSON.stringify(rows).slice(0, 600)}`;
    const offset = Math.abs(row.timestamp - (us ?? Date.now() * 1000));
    if (us === undefined ? offset > 60e6 : offset !== 0) return `${message} is at ${row.timestamp}`;
    const missing = contains.find((text) => !row.whole.includes(text));
    if (missing !== undefined) return `${message} lacks ${missing}: ${row.whole.slice(0, 600)}`;
  }
  return undefined;
}
