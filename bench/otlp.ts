/**
 * How many log records a second are stored over OTLP, beside the same records in our own JSON form: one service, in
 * turns, batches of 1,000 over 4 connections. `npm run bench:otlp -- RECORDS`; prints both rates and their ratio.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { logsRequest } from "../src/ingest/protocols/otlp/shapes.ts";
import { encodeProtobuf } from "../test/support/encode-protobuf.ts";

const token = "bench-private-token-0123456789abcdef";
const batchSize = 1_000;
const clients = 4;
const rounds = 5;

const attributesOf = (n: number) => ({ method: "GET", path: `/rest/v1/orders/${n % 100}`, status: 200, ms: n % 300 });
const resource = { service: "checkout", region: "eu-west-1", project: "abc" };
const messageOf = (n: number) => `GET /rest/v1/orders/${n % 100} answered 200`;
const nanosOf = (n: number) => `${1_787_216_400_000_000_000n + BigInt(n) * 1_000_000n}`;

const keyValues = (fields: object) =>
  Object.entries(fields).map(([key, value]) => ({
    key,
    value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value as string },
  }));

function otlpBatch(from: number): Uint8Array {
  const logRecords = Array.from({ length: batchSize }, (_, i) => ({
    timeUnixNano: nanosOf(from + i),
    severityNumber: 9,
    severityText: "INFO",
    body: { stringValue: messageOf(from + i) },
    attributes: keyValues(attributesOf(from + i)),
  }));
  const inResource = { resource: { attributes: keyValues(resource) }, scopeLogs: [{ logRecords }] };
  return encodeProtobuf(logsRequest, { resourceLogs: [inResource] });
}

/** The same events as a record over OTLP becomes, field by field. */
function ownBatch(from: number): Uint8Array {
  const events = Array.from({ length: batchSize }, (_, i) => ({
    timestamp: Number(nanosOf(from + i).slice(0, 16)),
    event_message: messageOf(from + i),
    project: "abc",
    metadata: {
      type: "otel_log",
      level: "info",
      severity_number: 9,
      severity_text: "INFO",
      attributes: attributesOf(from + i),
      resource,
    },
  }));
  return Buffer.from(JSON.stringify(events));
}

async function startService(dataDir: string): Promise<{ url: string; stop: () => void }> {
  const env = { PATH: process.env.PATH, LOGWEIR_PORT: "0", LOGWEIR_DATA_DIR: dataDir, LOGWEIR_PRIVATE_TOKEN: token };
  const child = spawn(process.execPath, ["bin/logweir.mjs", "serve"], { env, stdio: ["ignore", "pipe", "inherit"] });
  const url = await new Promise<string>((resolve) => {
    child.stdout.on("data", (chunk: Buffer) => {
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(chunk.toString())?.[0];
      if (address !== undefined) resolve(address);
    });
  });
  return { url, stop: () => void child.kill() };
}

/** Events a second of so many batches. */
async function measure(url: string, contentType: string, batches: readonly Uint8Array[]): Promise<number> {
  let next = 0;
  const startedAt = performance.now();
  const send = async () => {
    for (let body = batches[next++]; body !== undefined; body = batches[next++]) {
      const headers = { "content-type": contentType, "x-api-key": token };
      const response = await fetch(url, { method: "POST", headers, body });
      if (response.status !== 200) throw new Error(await response.text());
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: clients }, send));
  return (batches.length * batchSize) / ((performance.now() - startedAt) / 1_000);
}

const records = Number(process.argv[2] ?? 1_000_000);
const perRound = Math.max(1, Math.round(records / rounds / batchSize));
const dataDir = mkdtempSync(join(tmpdir(), "logweir-bench-otlp-"));
const service = await startService(dataDir);
const rates: { own: number; otlp: number }[] = [];
for (let round = 0; round < rounds; round++) {
  const batchesOf = (make: (from: number) => Uint8Array) =>
    Array.from({ length: perRound }, (_, i) => make((round * perRound + i) * batchSize));
  const own = await measure(`${service.url}/api/logs?source_name=webhooks`, "application/json", batchesOf(ownBatch));
  const otlp = await measure(`${service.url}/v1/logs`, "application/x-protobuf", batchesOf(otlpBatch));
  rates.push({ own, otlp });
  console.log(
    `round ${round + 1}: own ${Math.round(own)}, OTLP ${Math.round(otlp)} records/s, ratio ${(otlp / own).toFixed(2)}`,
  );
}
const ratios = rates.map(({ own, otlp }) => otlp / own).sort((a, b) => a - b);
console.log(
  `${rounds * perRound * batchSize} records each way; median ratio ${ratios[Math.floor(rounds / 2)]?.toFixed(2)}`,
);
service.stop();
rmSync(dataDir, { recursive: true, force: true });
