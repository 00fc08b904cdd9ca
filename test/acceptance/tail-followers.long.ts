import { get } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { waitUntil } from "../support/wait-until.ts";
import { postEvents, privateToken, type Service, startService } from "./service.ts";

const followerCount = 500;
const queryCount = 20;
const eventsPerSecond = 2_000;
const seconds = 10;
const batchesPerSecond = 10;

let service: Service;

beforeAll(async () => {
  service = await startService({ env: { LOGWEIR_AUDIT: "changes", LOGWEIR_LOG_LEVEL: "warn" } });
});

afterAll(async () => {
  await service.stop();
});

interface Followed {
  readonly query: number;
  readonly seen: Set<string>;
  /** Time since the acknowledgement of each event, or 0 when the event arrived before it. */
  readonly lagsMs: number[];
  repeated: number;
  skipped: number;
  close(): void;
}

/** When each event was acknowledged, by its message. */
const acknowledgedMs = new Map<string, number>();

function follow(query: number): Promise<Followed> {
  const lql = encodeURIComponent(`f:edge project:p${query} s:event_message`);
  const url = `${service.url}/api/endpoints/query/source:edge/tail?lql=${lql}`;
  return new Promise((resolve, reject) => {
    const request = get(url, { headers: { "x-api-key": privateToken } }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`The tail answers ${response.statusCode}`));
      const followed: Followed = {
        query,
        seen: new Set(),
        lagsMs: [],
        repeated: 0,
        skipped: 0,
        close: () => void request.destroy(),
      };
      let rest = "";
      response.setEncoding("utf8");
      response.on("data", (text: string) => {
        rest += text;
        const lines = rest.split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) read(followed, line);
        resolve(followed);
      });
      response.on("error", () => undefined);
    });
    request.on("error", reject);
  });
}

function read(followed: Followed, line: string): void {
  if (line === "event: skipped") followed.skipped++;
  const message = /"event_message":"([^"]+)"/.exec(line)?.[1];
  if (message === undefined) return;
  if (followed.seen.has(message)) followed.repeated++;
  followed.seen.add(message);
  followed.lagsMs.push(Date.now() - (acknowledgedMs.get(message) ?? Date.now()));
}

it("500 followers of 20 queries receive every row once, at 2,000 events a second", async () => {
  const first = { timestamp: new Date().toISOString(), project: "p0", event_message: "first" };
  await service.ingest("edge", [first]);
  const followers = await Promise.all(Array.from({ length: followerCount }, (_, index) => follow(index % queryCount)));
  const batchSize = eventsPerSecond / batchesPerSecond;
  const startedMs = Date.now();
  for (let batch = 0; batch < seconds * batchesPerSecond; batch++) {
    const events = Array.from({ length: batchSize }, (_, index) => ({
      timestamp: new Date().toISOString(),
      project: `p${index % queryCount}`,
      event_message: `${batch}-${index}`,
    }));
    const response = await postEvents(service.url, "edge", JSON.stringify(events));
    expect(response.status).toBe(200);
    const nowMs = Date.now();
    for (const { event_message: message } of events) acknowledgedMs.set(message, nowMs);
    const dueMs = startedMs + (batch + 1) * (1_000 / batchesPerSecond);
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMs - nowMs)));
  }
  const expected = (eventsPerSecond * seconds) / queryCount;
  const isComplete = () =>
    followers.every(({ seen }) => [...seen].filter((each) => each !== "first").length === expected);
  // What is missing is told below.
  await waitUntil(isComplete).catch(() => undefined);
  for (const { seen, repeated, skipped, query } of followers) {
    seen.delete("first");
    expect({ query, count: seen.size, repeated, skipped }).toEqual({ query, count: expected, repeated: 0, skipped: 0 });
  }
  const lags = followers.flatMap(({ lagsMs }) => lagsMs).sort((a, b) => a - b);
  const at = (share: number) => lags[Math.floor(share * (lags.length - 1))] ?? 0;
  process.stdout.write(`behind the acknowledgement: median ${at(0.5)} ms, p95 ${at(0.95)} ms, most ${at(1)} ms\n`);
  // A quiet machine takes a second at most; a busy one is given more time.
  expect(at(0.5)).toBeLessThan(3_000);
  for (const { close } of followers) close();
});
