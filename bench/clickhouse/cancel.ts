/** How soon a query is gone from the server when its caller leaves. */
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@clickhouse/client";
import { type NodeProcess, privateToken } from "../../test/nodes/start-node.ts";

/** Runs for minutes. */
export const slowEndpoint = `/*---
id: 5d1d4f7e-3c0b-4be2-8e0e-5b3b6f0b7a11
name: bench.slow
cache_seconds: 0
---*/
SELECT COUNT(*) AS n FROM edge a CROSS JOIN edge b WHERE a.event_message < b.event_message
`;

/** How long a query runs before it is left, in milliseconds. */
const LEAVE_AFTER_MS = 700;
/** Beyond this it counts as going on. */
const GIVE_UP_MS = 10_000;

/** Milliseconds from the leaving of each query until the server runs it no more. */
export async function measureCancels(node: NodeProcess, serverUrl: string, runs: number): Promise<readonly number[]> {
  const client = createClient({ url: serverUrl });
  const isRunning = async () => {
    const answer = await client.query({
      query:
        "SELECT count() AS n FROM system.processes WHERE query LIKE '%CROSS%JOIN%' AND query NOT LIKE '%processes%'",
      format: "JSONEachRow",
    });
    const [row] = await answer.json<{ readonly n: string }>();
    return Number(row?.n) > 0;
  };
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const leaving = new AbortController();
    const url = `${node.url}/api/endpoints/query/bench.slow`;
    const call = fetch(url, { headers: { "x-api-key": privateToken }, signal: leaving.signal }).then(
      async (response) => response.text(),
      () => undefined,
    );
    await sleep(LEAVE_AFTER_MS);
    if (!(await isRunning())) throw new Error(`The query was not running: ${await call}`);
    const left = performance.now();
    leaving.abort();
    while (await isRunning()) {
      if (performance.now() - left > GIVE_UP_MS) throw new Error("The query goes on");
      await sleep(10);
    }
    times.push(performance.now() - left);
    await call;
  }
  await client.close();
  return times;
}
