import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Destination, startDestination } from "../support/destination.ts";
import { waitUntil } from "../support/wait-until.ts";
import { privateToken, type Service, startService, startServiceProcess } from "./service.ts";

const env = { LOGWEIR_PRIVATE_DESTINATIONS: "127.0.0.0/8" };
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface Status {
  readonly waiting: number;
  readonly delivered: number;
  readonly dropped: number;
  readonly refused: number;
  readonly last_error: string | null;
}

async function call<T>(service: Pick<Service, "url">, method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: { "x-api-key": privateToken, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  expect(response.status, text).toBeLessThan(300);
  return (text === "" ? {} : JSON.parse(text)) as T;
}

async function drain(service: Pick<Service, "url">, config: object, source: string, lql = ""): Promise<string> {
  const { id } = await call<{ id: string }>(service, "POST", "/api/backends", { name: "d", type: "webhook", config });
  await call(service, "POST", "/api/rules", { backend_id: id, source_id: source, lql_string: lql });
  return id;
}

async function statusOf(service: Pick<Service, "url">, id: string): Promise<Status> {
  const { status } = await call<{ status: readonly Status[] }>(service, "GET", `/api/backends/${id}`);
  return status[0] as Status;
}

async function listen(port?: number): Promise<Destination> {
  const destination = await startDestination(port);
  closers.push(() => destination.close());
  return destination;
}

describe("log drains", () => {
  it("deliver hundreds of events of 600 KB that waited while the destination was away", async () => {
    const service = await startService({ env });
    closers.push(() => service.stop());
    const destination = await listen();
    destination.answer = () => ({ status: 503 });
    const id = await drain(service, { url: destination.url }, "edge");
    const text = "x".repeat(600_000);
    for (let at = 0; at < 520; at += 13) {
      const events = Array.from({ length: 13 }, (_, index) => ({ id: `e${at + index}`, metadata: { text } }));
      await service.ingest("edge", events);
    }
    await waitUntil(async () => (await statusOf(service, id)).last_error !== null);
    destination.answer = () => ({ status: 200 });
    const seen = new Set<unknown>();
    const isDone = async () => {
      for (const { id: event } of destination.events()) seen.add(event);
      destination.taken.length = 0;
      destination.requests.length = 0;
      return seen.size === 520;
    };
    await waitUntil(isDone, 300_000);
    expect(await statusOf(service, id)).toMatchObject({ delivered: 520, dropped: 0, refused: 0, waiting: 0 });
  }, 600_000);

  it("deliver and count every acknowledged event of a service that is killed again and again", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "logweir-drains-"));
    closers.push(() => rm(dataDir, { recursive: true, force: true }));
    const destination = await listen();
    let service = await startServiceProcess({ dataDir, env });
    closers.push(() => service.stop());
    const id = await drain(service, { url: destination.url }, "edge");
    const acknowledged: string[] = [];
    let sentCount = 0;
    const send = async (round: number, tenant: number) => {
      // Tenants have the same ids.
      const events = Array.from({ length: 300 }, (_, index) => ({ id: `e${round} ${index}`, project: `p${tenant}` }));
      sentCount += events.length;
      await service.ingest("edge", events).then(
        () => acknowledged.push(...events.map((event) => `${event.project} ${event.id}`)),
        () => undefined,
      );
    };
    for (let round = 0; round < 12; round++) {
      const ended = once(service.process, "exit");
      const isKilledAt = destination.requests.length + 1 + (round % 4);
      destination.answer = ({ body }) => {
        if (destination.requests.length === isKilledAt) service.process.kill("SIGKILL");
        return { status: body.length % 5 === 0 ? 503 : 200 };
      };
      await Promise.all([0, 1, 2, 3].map((tenant) => send(round, tenant)));
      service.process.kill("SIGKILL");
      await ended;
      service = await startServiceProcess({ dataDir, env });
    }
    destination.answer = () => ({ status: 200 });
    await waitUntil(async () => (await statusOf(service, id)).waiting === 0, 60_000);
    const seen = new Set(destination.events().map((event) => `${event.project} ${event.id}`));
    expect(acknowledged.length).toBeGreaterThan(0);
    expect(acknowledged.filter((event) => !seen.has(event))).toEqual([]);
    const { delivered, ...status } = await statusOf(service, id);
    expect(status).toMatchObject({ refused: 0, dropped: 0, waiting: 0 });
    // What was noted, and whose answer the kill cut, counts too.
    expect(delivered).toBeGreaterThanOrEqual(acknowledged.length);
    expect(delivered).toBeLessThanOrEqual(sentCount);
  });
});
