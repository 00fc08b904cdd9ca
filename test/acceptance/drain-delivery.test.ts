import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Destination, startDestination } from "../support/destination.ts";
import { patienceMs, waitUntil } from "../support/wait-until.ts";
import { privateToken, type Service, startService } from "./service.ts";

const environment = { LOGWEIR_PRIVATE_DESTINATIONS: "127.0.0.0/8" };
const closers: (() => Promise<unknown>)[] = [];
/** Shared by the tests, each of which has a source of its own. */
let service: Service;

beforeAll(async () => {
  service = await startService({ env: environment });
});

afterAll(() => service.stop());

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function start(env: Record<string, string> = {}): Promise<Service> {
  const own = await startService({ env: { ...environment, ...env } });
  closers.push(() => own.stop());
  return own;
}

async function listen(port?: number): Promise<Destination> {
  const destination = await startDestination(port);
  closers.push(() => destination.close());
  return destination;
}

interface Status {
  readonly waiting: number;
  readonly delivered: number;
  readonly refused: number;
  readonly dropped: number;
  readonly removed: number;
  readonly excluded: number;
  readonly looped: number;
  readonly last_error: string | null;
}

async function call<T = unknown>(service: Service, method: string, path: string, body?: unknown) {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: { "x-api-key": privateToken, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, json: (text === "" ? {} : JSON.parse(text)) as T };
}

async function drain(service: Service, backend: object, source = "edge", lql = ""): Promise<() => Promise<Status>> {
  const made = await call<{ id: string }>(service, "POST", "/api/backends", { name: "d", type: "webhook", ...backend });
  expect(made.status, made.text).toBe(201);
  const { id } = made.json;
  closers.push(() => call(service, "DELETE", `/api/backends/${id}`));
  const rule = await call(service, "POST", "/api/rules", { backend_id: id, source_id: source, lql_string: lql });
  expect(rule.status, rule.text).toBe(201);
  return async () => {
    const shown = await call<{ status: readonly Status[] }>(service, "GET", `/api/backends/${id}`);
    return shown.json.status[0] as Status;
  };
}

async function send(service: Service, source: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${service.url}/api/logs?source_name=${source}`, {
    method: "POST",
    headers: { "x-api-key": privateToken, "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  expect(response.status, await response.text()).toBe(200);
}

const until = (isTrue: () => boolean | Promise<boolean>, what: string) => waitUntil(isTrue, patienceMs, what);

const numbered = (count: number, fields: object = {}) =>
  Array.from({ length: count }, (_, index) => ({ id: `e${index}`, event_message: `m${index}`, ...fields }));

describe("log drains", () => {
  it("deliver every event with max_rows = 1 and a small answer limit", async () => {
    const env = { LOGWEIR_MAX_ROWS: "1", LOGWEIR_MAX_RESULT_BYTES: "10000", LOGWEIR_MAX_QUERY_MEMORY_MB: "16" };
    const service = await start(env);
    const destination = await listen();
    const status = await drain(service, { config: { url: destination.url } });
    const filtered = await listen();
    const ofQuery = await drain(service, { config: { url: filtered.url } }, "edge", "project:abc");
    await send(service, "edge", numbered(500, { project: "abc" }));
    await until(async () => (await status()).waiting === 0 && (await ofQuery()).waiting === 0, "nothing waits");
    expect(new Set(destination.events().map(({ id }) => id)).size).toBe(500);
    expect(new Set(filtered.events().map(({ id }) => id)).size).toBe(500);
    expect(await status()).toMatchObject({ delivered: 500, refused: 0, dropped: 0, removed: 0 });
  });

  it("deliver the events of all tenants that use the same ids at the same time", async () => {
    const destination = await listen();
    const filtered = await listen();
    const status = await drain(service, { config: { url: destination.url } });
    const ofQuery = await drain(service, { config: { url: filtered.url } }, "edge", "m.odd:true");
    const tenants = Array.from({ length: 8 }, (_, index) => `project-${index}`);
    const events = (project: string, at: number) =>
      numbered(200, { project, timestamp: "2026-08-20T09:00:00Z", metadata: { odd: at % 2 === 1 } });
    await Promise.all(tenants.map((project, at) => send(service, "edge", events(project, at))));
    await until(async () => (await status()).waiting === 0 && (await ofQuery()).waiting === 0, "nothing waits");
    const keysOf = (from: Destination) => new Set(from.events().map(({ project, id }) => `${project} ${id}`));
    expect(keysOf(destination).size).toBe(1_600);
    expect(keysOf(filtered).size).toBe(800);
    expect(await ofQuery()).toMatchObject({ delivered: 800, excluded: 800, dropped: 0 });
  });

  it("send what was sent: exact numbers at every depth, and nothing that was absent", async () => {
    const destination = await listen();
    await drain(service, { config: { url: destination.url } }, "rest");
    const loki = await listen();
    await drain(service, { type: "loki", config: { url: loki.url } }, "rest");
    const texts = [
      `{"id":"n1","timestamp":1787216400000000,"event_message":"a","count":9007199254740993,"project":"p"}`,
      `{"id":"n2","timestamp":1787216400000001,"event_message":"b","metadata":{"big":12345678901234567890123,"list":[9007199254740993,1]}}`,
      `{"id":"n3","timestamp":1787216400000002,"event_message":"c","metadata":{"wide":1e400,"deep":{"x":{"y":-9223372036854775809}}}}`,
      `{"id":"n4","timestamp":1787216400000003,"list":[1,"a",{"b":18446744073709551616}],"flag":false,"zero":0,"f":0.1}`,
    ];
    await send(service, "rest", `[${texts.join(",")}]`);
    await until(() => destination.taken.length === 1 && loki.taken.length === 1, "both requests");
    const [request] = destination.taken;
    const parts = (text: string) => text.match(/"[^"]*":(?:-?[\d.e+]+|"[^"]*"|true|false)|\d+e?\d*/g)?.sort();
    expect(parts(request?.body ?? "")).toEqual(parts(texts.join("")));
    expect(destination.events().map((event) => Object.keys(event).sort())).toEqual(
      texts.map((text) => Object.keys(JSON.parse(text) as object).sort()),
    );
    expect(loki.taken[0]?.body).toContain("12345678901234567890123");
  });

  it("put events into objects of a store by source and hour, again after it was away", async () => {
    const store = await listen();
    store.answer = () => ({ status: 400, body: "<Code>AuthorizationHeaderMalformed</Code>" });
    const config = {
      ...{ url: store.url, region: "eu-1", access_key_id: "key-1", secret_access_key: "s3cret-key" },
    };
    const status = await drain(service, { type: "s3", config }, "storage");
    const events = numbered(30).map((event, index) => {
      return { ...event, timestamp: `2026-08-20T${index % 3 === 0 ? "08" : "09"}:00:${10 + index}Z`, project: "abc" };
    });
    await send(service, "storage", events);
    await until(async () => (await status()).last_error !== null, "the refusal");
    expect(await status()).toMatchObject({ waiting: 30, refused: 0 });
    store.answer = () => ({ status: 200 });
    await until(async () => (await status()).waiting === 0, "nothing waits");
    const lines = new Map<string, Set<string>>();
    for (const { path, body, headers } of store.taken) {
      expect(headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=key-1\/\d{8}\/eu-1\/s3\/aws4_request, /);
      const hour = path.slice(0, path.lastIndexOf("/"));
      const ids = body
        .trimEnd()
        .split("\n")
        .map((line) => (JSON.parse(line) as { id: string }).id);
      lines.set(hour, new Set([...(lines.get(hour) ?? []), ...ids]));
    }
    const idsAt = (isFirst: boolean) => events.filter((_, index) => (index % 3 === 0) === isFirst).map(({ id }) => id);
    expect([...lines.keys()].sort()).toEqual(["/hook/storage/2026/08/20/08", "/hook/storage/2026/08/20/09"]);
    expect([...(lines.get("/hook/storage/2026/08/20/08") ?? [])].sort()).toEqual(idsAt(true).sort());
    expect([...(lines.get("/hook/storage/2026/08/20/09") ?? [])].sort()).toEqual(idsAt(false).sort());
    const shown = await call(service, "GET", "/api/backends");
    expect(shown.text).toContain("key-1");
    expect(shown.text).not.toContain("s3cret-key");
  });

  it("end a loop of a service that drains into itself, and of two that drain into each other", async () => {
    const [one, two] = [service, await start()];
    const relay = await listen();
    const through = (service: Service) => ({ type: "logweir", config: { url: service.url, token: privateToken } });
    // A proxy that the service does not know to be its own: what it hands on keeps the header.
    const handed: Promise<void>[] = [];
    relay.answer = ({ body, headers }) => {
      const hops = headers["logweir-hops"];
      const more = typeof hops === "string" ? { "logweir-hops": hops } : {};
      handed.push(send(one, "auth", body.replaceAll('"id"', '"was"'), more));
      return { status: 200 };
    };
    const ownStatus = await drain(one, { config: { url: relay.url } }, "auth");
    await send(one, "auth", [{ id: "round", event_message: "x" }]);
    await until(async () => handed.length > 0 && (await ownStatus()).waiting === 0, "the event has come back");
    await until(async () => (await ownStatus()).looped === 1, "the loop is recognised");
    expect(relay.taken).toHaveLength(1);
    const toTwo = await drain(one, through(two), "edge");
    const toOne = await drain(two, through(one), "edge");
    await send(one, "edge", numbered(20));
    await until(async () => (await toOne()).delivered === 20, "all events there");
    await until(async () => (await toTwo()).looped === 20, "and back");
    expect(await toTwo()).toMatchObject({ delivered: 20, looped: 20, waiting: 0 });
    expect(await toOne()).toMatchObject({ delivered: 20, waiting: 0 });
    const refused = await call(one, "POST", "/api/backends", { name: "own", ...through(one) });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain("this service");
  });

  it("show nothing of what a destination answers, which may echo secrets and events", async () => {
    const destination = await listen();
    destination.answer = ({ headers, body }) => ({ status: 403, body: `${headers.authorization} ${body}` });
    const config = { url: destination.url, headers: { Authorization: "Bearer s3cret-echo" } };
    const status = await drain(service, { config }, "realtime");
    await send(service, "realtime", [{ id: "x", event_message: "private-words" }]);
    await until(async () => (await status()).last_error !== null, "the error");
    expect((await status()).last_error).toBe("the destination answered 403 Forbidden");
    const all = (await call(service, "GET", "/api/backends")).text;
    expect(all).not.toMatch(/s3cret|private-words/);
  });
});
