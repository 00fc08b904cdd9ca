/** The service as the HTTP part of the benchmark runs it: with endpoints of its own, and a small cache. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type HttpClient, openHttpClient } from "../http-client.ts";
import { startProcess, token, writeSources } from "../peers/logweir.ts";

export const cacheBytes = 32_000_000;

const endpoints: Readonly<Record<string, string>> = {
  // About the size of a chart's answer.
  kept: `/*---
id: 0e3f1f4e-58a7-4a4e-9df5-1d7a0b2f6c01
max_rows: 1000
cache_seconds: 900
parameters:
  n: { type: int64, default: 24 }
---*/
SELECT TIMESTAMP_ADD(TIMESTAMP '2026-08-20T00:00:00Z', INTERVAL x HOUR) AS timestamp, MOD(x * 7919, 1000) AS auth_requests,
  17 AS rest_requests, 4 AS storage_requests, 5 AS realtime_requests, @n AS n
FROM UNNEST(GENERATE_ARRAY(1, 24)) AS x ORDER BY x`,
  work: `/*---
id: 0e3f1f4e-58a7-4a4e-9df5-1d7a0b2f6c02
max_rows: 1000
cache_seconds: 900
parameters:
  n: { type: int64, default: 1 }
---*/
SELECT COUNT(*) AS count FROM UNNEST(GENERATE_ARRAY(1, 1000)) AS a CROSS JOIN UNNEST(GENERATE_ARRAY(1, 1000)) AS b
WHERE MOD(a * b + @n, 7) = 0`,
  endless: `/*---
id: 0e3f1f4e-58a7-4a4e-9df5-1d7a0b2f6c03
max_rows: 1000
parameters:
  n: { type: int64, default: 1 }
---*/
SELECT COUNT(*) AS count FROM UNNEST(GENERATE_ARRAY(1, 10000)) AS a CROSS JOIN UNNEST(GENERATE_ARRAY(1, 10000)) AS b
CROSS JOIN UNNEST(GENERATE_ARRAY(1, 10000)) AS c WHERE MOD(a * b + c + @n, 7) = 0`,
  export: `/*---
id: 0e3f1f4e-58a7-4a4e-9df5-1d7a0b2f6c04
max_rows: 1000000
---*/
SELECT id, timestamp, event_message, project FROM edge`,
  "export.newest": `/*---
id: 0e3f1f4e-58a7-4a4e-9df5-1d7a0b2f6c05
max_rows: 1000000
---*/
SELECT id, timestamp, event_message, project FROM edge ORDER BY timestamp DESC`,
};

export interface BenchService {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
  readonly client: HttpClient;
  stop(): Promise<void>;
}

/** Starts it on an empty folder, or on what another run left there. */
export async function startBenchService(folder: string, keepsData = false, root?: string): Promise<BenchService> {
  if (!keepsData) rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "endpoints"), { recursive: true });
  for (const [name, text] of Object.entries(endpoints)) {
    const named = text.replace("/*---\n", `/*---\nname: ${name}\n`);
    writeFileSync(join(folder, "endpoints", `${name}.sql`), named);
  }
  writeSources(join(folder, "sources"));
  const { child, url: starting } = startProcess(
    folder,
    {
      LOGWEIR_CACHE_MAX_BYTES: String(cacheBytes),
      LOGWEIR_MAX_RESULT_BYTES: "2000000000",
    },
    root,
  );
  const url = await starting;
  const client = openHttpClient(url, token, 128);
  return {
    url,
    token,
    pid: child.pid ?? 0,
    client,
    async stop() {
      client.close();
      if (child.exitCode !== null) return;
      const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
      child.kill("SIGTERM");
      await ended;
    },
  };
}
