import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitUntil } from "../support/wait-until.ts";

/** A Loki of its own, with an empty store. */
export interface Loki {
  readonly url: string;
  readonly version: string;
  /** Everything that it has printed so far. */
  output(): string;
  /** Ends it, and removes its store. */
  stop(): Promise<void>;
}

/** One process with all parts, which takes lines without a limit of their rate, and adds no labels. */
function configure(folder: string, [http, grpc]: readonly [number, number]): string {
  return JSON.stringify({
    auth_enabled: false,
    analytics: { reporting_enabled: false },
    server: {
      ...{ http_listen_address: "127.0.0.1", http_listen_port: http, log_level: "warn" },
      ...{ grpc_listen_address: "127.0.0.1", grpc_listen_port: grpc },
    },
    common: {
      ...{ path_prefix: folder, replication_factor: 1, instance_addr: "127.0.0.1" },
      storage: { filesystem: { chunks_directory: join(folder, "chunks"), rules_directory: join(folder, "rules") } },
      ring: { kvstore: { store: "inmemory" } },
    },
    schema_config: {
      configs: [
        {
          ...{ from: "2020-01-01", store: "tsdb", object_store: "filesystem", schema: "v13" },
          index: { prefix: "index_", period: "24h" },
        },
      ],
    },
    ingester: { lifecycler: { min_ready_duration: "0s", final_sleep: "0s" }, wal: { dir: join(folder, "wal") } },
    query_range: { cache_results: false, parallelise_shardable_queries: false },
    limits_config: {
      ...{ allow_structured_metadata: true, volume_enabled: true },
      ...{ discover_service_name: [], discover_log_levels: false },
      ...{ ingestion_rate_mb: 1_000, ingestion_burst_size_mb: 1_000, max_query_series: 5_000 },
      max_concurrent_tail_requests: 1_000,
      ...{ per_stream_rate_limit: "1GB", per_stream_rate_limit_burst: "1GB", split_queries_by_interval: "0s" },
    },
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens));
  const { port } = server.address() as { port: number };
  await new Promise((closes) => server.close(closes));
  return port;
}

/** Starts a binary of Loki 3, and resolves once it takes and answers requests. Rejects with what it has printed. */
export async function startLoki(binary: string): Promise<Loki> {
  const folder = mkdtempSync(join(tmpdir(), "logweir-judge-loki-"));
  const ports = [await freePort(), await freePort()] as const;
  const file = join(folder, "loki.yaml");
  // JSON is YAML too.
  writeFileSync(file, configure(folder, ports));
  const child = spawn(binary, [`-config.file=${file}`], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise<void>((ends) => {
    child.once("error", (error) => {
      output += error.message;
      ends();
    });
    child.once("exit", () => ends());
  });
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  const url = `http://127.0.0.1:${ports[0]}`;
  const stop = async () => {
    child.kill("SIGKILL");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const isReady = async () => {
    if (hasEnded) return true;
    return (await fetch(`${url}/ready`).catch(() => undefined))?.ok === true;
  };
  await waitUntil(isReady, 120_000, "Loki is ready").catch(async (error: unknown) => {
    await stop();
    throw new Error(`${String(error)}\n${output}`);
  });
  if (hasEnded) {
    await stop();
    throw new Error(`Loki ended at once:\n${output}`);
  }
  const { version } = (await (await fetch(`${url}/loki/api/v1/status/buildinfo`)).json()) as { version: string };
  return { url, version, output: () => output, stop };
}
