import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { WebSocket } from "ws";
import { waitUntil } from "../../support/wait-until.ts";
import { sendCases } from "./non-interference-tests.ts";
import { alertCases, drainFilters, tailQueries } from "./outgoing-queries.ts";
import { foreignMark, personalMark, type TenantCase, tenantCases, withPersonalData } from "./tenant-events.ts";
import { openTwoStores, type TwoStores, type Which } from "./two-stores.ts";

const both = ["alone", "shared"] as const satisfies readonly Which[];
const waitMs = 60_000;

interface Size {
  readonly seed: number;
  readonly tenants: number;
  readonly alerts: number;
  readonly filters: number;
  readonly tails: number;
}

/** The rule about tenants where answers leave the service by themselves: by alerts, drains and Loki's tail. */
export function testOutgoing({ seed, tenants, alerts, filters, tails }: Size): void {
  let stores: TwoStores;
  let sink: Server;
  let cases: readonly TenantCase[];
  /** The bodies that drains sent, by store and filter. */
  const drained = new Map<string, unknown[]>();
  const lql = fc.sample(drainFilters, { seed, numRuns: filters });
  const hooks = new Map<string, string>();

  beforeAll(async () => {
    sink = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const events = JSON.parse(Buffer.concat(parts).toString()) as unknown[];
      drained.set(request.url ?? "", [...(drained.get(request.url ?? "") ?? []), ...events]);
      response.end();
    }).listen(0, "127.0.0.1");
    await once(sink, "listening");
    stores = await openTwoStores({ LOGWEIR_PRIVATE_DESTINATIONS: "127.0.0.1" });
    const { port } = sink.address() as AddressInfo;
    for (const which of both) {
      for (const [index, text] of lql.entries()) {
        const url = `http://127.0.0.1:${port}/${which}/${index}`;
        const backend = { name: `${index}`, type: "webhook", config: { url, gzip: false } };
        const { json } = await stores.manage(which, "POST", "/api/backends", backend);
        const rule = { backend_id: json.id, source_id: "edge", lql_string: text };
        // A field that no event has carried yet is unknown.
        if ((await stores.manage(which, "POST", "/api/rules", rule)).status !== 201) continue;
        hooks.set(`/${which}/${index}`, String(json.id));
      }
    }
    cases = fc.sample(tenantCases(), { seed, numRuns: tenants }).map((make, index) => withPersonalData(make(index)));
    await sendCases(stores, cases);
  }, 300_000);

  afterAll(async () => {
    await stores.stop();
    sink.close();
  });

  it(`an alert tells of a tenant what it would tell if there were no others, seed ${seed}`, async () => {
    const differences: string[] = [];
    let firedCount = 0;
    for (const [index, make] of fc.sample(alertCases, { seed, numRuns: alerts }).entries()) {
      const { tenant } = cases[index % cases.length] as TenantCase;
      const { endpoint, alert, isExact } = make(index);
      const [alone, shared] = await Promise.all(
        both.map((which) => rehearse(which, endpoint, { ...alert, parameters: { project: tenant } })),
      );
      if (alone === undefined || shared === undefined) continue;
      if (shared.includes('"firing"')) firedCount++;
      const text = JSON.stringify([endpoint, alert]);
      const leaks = shared.includes(foreignMark) && !text.includes(foreignMark);
      const isRaw = text.includes('"redact_pii":true') && shared.includes(personalMark);
      if (leaks || isRaw || (isExact && alone !== shared)) differences.push([text, alone, shared].join("\n"));
    }
    expect(differences.slice(0, 3)).toEqual([]);
    expect(firedCount).toBeGreaterThan(0);
  }, 300_000);

  /** The answer when an alert is made, and its notices of a day; undefined where its endpoint is refused. */
  async function rehearse(which: Which, endpoint: object, alert: object): Promise<string | undefined> {
    const saved = await stores.manage(which, "POST", "/api/endpoints", endpoint);
    if (saved.status !== 201) return undefined;
    const made = await stores.manage(which, "POST", "/api/alerts", alert);
    if (made.status !== 201) return JSON.stringify([made.status, made.json]);
    const range = { from: "2026-08-20T10:00:00Z", to: "2026-08-22T10:00:00Z" };
    const told = await stores.manage(which, "POST", `/api/alerts/${String(made.json.id)}/test`, range);
    const { notices = [], ...rest } = told.json as { notices?: readonly { at: string }[] };
    // The minute of a day at which an alert runs depends on its id.
    const untimed = notices.map(({ at: _, ...notice }) => notice);
    return JSON.stringify([told.status, rest, untimed]);
  }

  it("a drain's filter selects a tenant's events as if there were no others", async () => {
    for (const [path, id] of hooks) {
      const which = path.startsWith("/alone") ? "alone" : "shared";
      await waitUntil(async () => {
        const { json } = await stores.manage(which, "GET", `/api/backends/${id}`);
        return (json.status as readonly { readonly waiting: number }[]).every(({ waiting }) => waiting === 0);
      }, waitMs);
    }
    const own = new Set(cases.map(({ tenant }) => tenant));
    const eventsOf = (path: string) =>
      (drained.get(path) ?? [])
        .filter((event) => own.has(String((event as { readonly project?: unknown }).project)))
        .map((event) => JSON.stringify(event))
        .sort();
    for (const [index, text] of lql.entries()) {
      expect(eventsOf(`/shared/${index}`), text).toEqual(eventsOf(`/alone/${index}`));
    }
    expect([...drained.values()].some((events) => events.length > 0)).toBe(true);
  }, 300_000);

  it("a tail of Loki's API follows a tenant's lines as if there were no others", async () => {
    for (const [index, query] of fc.sample(tailQueries, { seed, numRuns: tails }).entries()) {
      const { tenant } = cases[index % cases.length] as TenantCase;
      const redacts = index % 3 === 0;
      const start = "2026-08-20T00:00:00Z";
      const sent = new URLSearchParams({ query, start, end: "2026-08-22T00:00:00Z", limit: "100" });
      const found = await stores.send("alone", { tenant, redacts, path: `/loki/api/v1/query_range?${sent}` });
      const lineCount = found.status === 200 ? countLines([found.body.toString()], "data") : 0;
      const path = `/loki/api/v1/tail?${new URLSearchParams({ query, start, limit: "100" })}`;
      const [alone, shared] = await Promise.all(
        both.map((which) => follow(which, { tenant, redacts, path }, lineCount)),
      );
      expect(shared, query).toEqual(alone);
      if (!query.includes(foreignMark)) expect(shared?.join(), query).not.toContain(foreignMark);
      if (redacts) expect(shared?.join(), query).not.toContain(personalMark);
    }
  }, 300_000);

  /** The answer of a tail that is refused, or its lines once so many have come. */
  async function follow(
    which: Which,
    request: { readonly tenant: string; readonly redacts: boolean; readonly path: string },
    lineCount: number,
  ): Promise<readonly string[]> {
    const { url, headers } = await stores.addressOf(which, request);
    const socket = new WebSocket(url.replace("http", "ws"), { headers });
    socket.on("error", () => undefined);
    const messages: string[] = [];
    socket.on("message", (data) => messages.push(String(data)));
    const refusal = once(socket, "unexpected-response").then(async ([, response]) => {
      const parts: string[] = [String(response.statusCode)];
      for await (const part of response) parts.push(String(part));
      return parts;
    });
    const refused = await Promise.race([refusal, once(socket, "open").then(() => undefined)]);
    if (refused !== undefined) return refused;
    await waitUntil(() => countLines(messages) >= lineCount, waitMs, `${lineCount} lines of ${request.path}`);
    socket.terminate();
    const streams = messages.flatMap((text) => (JSON.parse(text) as { readonly streams: readonly object[] }).streams);
    return streams.map((stream) => JSON.stringify(stream)).sort();
  }
}

function countLines(messages: readonly string[], within?: "data"): number {
  let count = 0;
  for (const message of messages) {
    const parsed = JSON.parse(message) as Record<string, unknown>;
    const streams = within === undefined ? parsed.streams : (parsed.data as { readonly result: unknown }).result;
    for (const { values } of streams as readonly { readonly values: readonly unknown[] }[]) count += values.length;
  }
  return count;
}
