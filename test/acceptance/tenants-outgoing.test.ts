/** Drains and notices of alerts, which leave the service by themselves, for two tenants in the same sources. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Destination, startDestination } from "../support/destination.ts";
import { patienceMs, waitUntil } from "../support/wait-until.ts";
import { create, manage } from "./manage.ts";
import { type Service, startService } from "./service.ts";

/** In every name and value of one tenant, and in none of the other's; no digits of an id or a signature. */
const marks = { zebra: /zebra/i, yucca: /yucca/i } as const;
type Tenant = keyof typeof marks;
const tenants = ["zebra", "yucca"] as const;
const otherOf = (tenant: Tenant) => (tenant === "zebra" ? "yucca" : "zebra");

let service: Service;
let hooks: Record<Tenant, Destination>;
/** Never answers, until it is closed. */
let silent: Destination;
const tokens: Record<string, string> = {};
/** Backends by their names. */
const ids = new Map<string, string>();

/** The same ids and times in both tenants; every name and value else is one tenant's own. */
const eventsOf = (tenant: Tenant, round: number) =>
  [0, 1, 2].map((n) => ({
    id: `${round}-${n}`,
    timestamp: `2026-08-20T09:0${round}:0${n}Z`,
    event_message: `message of ${tenant} ${n}`,
    project: tenant,
    metadata: { n: tenant === "zebra" ? n : `${tenant}-${n}`, [`${tenant}_key`]: `${tenant}-value` },
    [`${tenant}_top`]: `${tenant}-top`,
  }));

beforeAll(async () => {
  service = await startService({ env: { LOGWEIR_PRIVATE_DESTINATIONS: "127.0.0.1" } });
  hooks = { zebra: await startDestination(), yucca: await startDestination() };
  silent = await startDestination();
  silent.answer = () => new Promise(() => undefined);
  for (const [name, document] of Object.entries({
    pinned: { scopes: ["query"], pins: { project: "yucca" } },
    free: { scopes: ["query"] },
    sender: { scopes: ["ingest"] },
    pinnedSender: { scopes: ["ingest", "query"], pins: { project: "yucca" } },
  })) {
    tokens[name] = String((await manage(service, "POST", "/api/access-tokens", document)).body.token);
  }
});

afterAll(async () => {
  await service.stop();
  for (const hook of [...Object.values(hooks), silent]) await hook.close();
});

const until = (isTrue: () => boolean, what: string) => waitUntil(isTrue, patienceMs, what);
const at = (hook: Destination, path: string) => hook.url.replace("/hook", path);
const takenAt = (hook: Destination, path: string) => hook.taken.filter((each) => each.path.startsWith(path));
const ingest = async (round: number) => {
  // In one body, so that neither tenant's events are stored without the other's.
  await service.ingest("edge", [...eventsOf("yucca", round), ...eventsOf("zebra", round)]);
};

async function make(path: string, document: object): Promise<string> {
  const { status, body } = await manage(service, "POST", path, document);
  expect([status, body]).toEqual([201, expect.anything()]);
  return String(body.id);
}

/** A drain of a tenant's events alone. */
async function drain(tenant: Tenant, type: string, url: string, config: object = {}): Promise<void> {
  const name = `${type} ${tenant}`;
  const backend = await make("/api/backends", { name, type, config: { url, ...config } });
  ids.set(name, backend);
  await make("/api/rules", { backend_id: backend, source_id: "edge", lql_string: `project:${tenant}` });
}

const types = [
  ["otlp", "/v1/logs", {}],
  ["webhook", "/webhook", {}],
  ["logweir", "/api/logs", { token: "t", source: "edge" }],
  ["loki", "/loki/api/v1/push", {}],
  ["s3", "/bucket", { region: "x", access_key_id: "k", secret_access_key: "s" }],
] as const;

describe("a drain", () => {
  afterEach(() => {
    for (const hook of Object.values(hooks)) hook.answer = () => ({ status: 200 });
  });

  it.each(types)("of type %s carries its tenant's events and nothing of another's", async (type, path, config) => {
    const round = types.findIndex(([each]) => each === type);
    for (const tenant of tenants) {
      const url = ["otlp", "loki", "logweir"].includes(type) ? at(hooks[tenant], "") : at(hooks[tenant], path);
      await drain(tenant, type, url, { gzip: false, ...config });
    }
    await ingest(round);
    for (const tenant of tenants) {
      const texts = () => takenAt(hooks[tenant], path).map(({ body }) => body);
      const messages = () =>
        [
          ...new Set(
            texts()
              .join("\n")
              .match(/message of \w+ \d/g),
          ),
        ].sort();
      await until(() => messages().length === 3, `three events of ${tenant} by ${type}`);
      expect(messages()).toEqual([0, 1, 2].map((n) => `message of ${tenant} ${n}`));
      for (const { body, headers, path: to } of takenAt(hooks[tenant], path)) {
        expect(body + JSON.stringify(headers) + to).not.toMatch(marks[otherOf(tenant)]);
      }
    }
  });

  it("goes on while the destinations of others do not answer, or fail", async () => {
    for (const n of [0, 1, 2, 3]) await drain("yucca", "otlp", at(silent, `/${n}`));
    hooks.yucca.answer = () => ({ status: 503 });
    const before = takenAt(hooks.zebra, "/v1/logs").length;
    await ingest(6);
    // Those of the other tenant have their events, and keep them waiting.
    await until(() => silent.requests.length === 4, "the requests that nobody answers");
    await until(() => takenAt(hooks.zebra, "/v1/logs").length > before, "events of the tenant");
    await ingest(7);
    const wanted = eventsOf("zebra", 7).map(({ timestamp }) => `"${Date.parse(timestamp)}000000"`);
    const sent = () =>
      takenAt(hooks.zebra, "/v1/logs")
        .map(({ body }) => body)
        .join();
    await until(() => wanted.every((time) => sent().includes(time)), "events behind them");
  });

  it("waits in the words of the transport, not of what a destination answered or another's events hold", async () => {
    hooks.zebra.answer = () => ({ status: 500, body: "yucca-secret of the destination" });
    await ingest(8);
    const shown = async () =>
      JSON.stringify((await manage(service, "GET", `/api/backends/${ids.get("otlp zebra")}`)).body);
    await waitUntil(async () => (await shown()).includes("500"), patienceMs, "failures of the tenant's drain");
    expect(await shown()).not.toMatch(/yucca/i);
  });
});

describe("an alert of an endpoint with a tenant's parameters", () => {
  const parameters = { project: { type: "string", required: true } };
  const alert = (tenant: Tenant, endpoint: string, more: object = {}) =>
    make("/api/alerts", {
      name: `${endpoint} ${tenant}`,
      endpoint,
      parameters: { project: tenant },
      every: "10s",
      notify: [{ type: "webhook", url: at(hooks[tenant], `/${endpoint}`) }],
      ...more,
    });
  const toldAt = (tenant: Tenant, endpoint: string) => takenAt(hooks[tenant], `/${endpoint}`).map(({ body }) => body);
  const firstOf = async (tenant: Tenant, endpoint: string) => {
    await until(() => toldAt(tenant, endpoint).length > 0, `a notice of ${endpoint} for ${tenant}`);
    for (const body of toldAt(tenant, endpoint)) expect(body).not.toMatch(marks[otherOf(tenant)]);
    return JSON.parse(toldAt(tenant, endpoint)[0] ?? "") as Record<string, unknown>;
  };

  beforeAll(async () => {
    await ingest(9);
    const endpoint = (name: string, query: string, more: object = {}) =>
      create(service, { name, parameters, query, ...more });
    const from = "FROM edge WHERE project = @project AND id LIKE '9-%'";
    await endpoint("rows", `SELECT * ${from} ORDER BY id`, { tenant_parameter: "project" });
    await endpoint("groups", `SELECT event_message, COUNT(*) AS n ${from} GROUP BY event_message`);
    await endpoint(
      "forgetful",
      "SELECT MAX(project) AS top, COUNTIF(id LIKE '9-%') AS n FROM edge WHERE @project = project",
    );
    // Its rows of one tenant alone are numbers.
    await endpoint("numbers", `SELECT SUM(CAST(CAST(metadata.n AS STRING) AS INT64)) AS n ${from}`);
  });

  it("tells rows, and the names of columns, of that tenant alone", async () => {
    for (const tenant of tenants) await alert(tenant, "rows");
    for (const tenant of tenants) {
      const { result, row_count } = (await firstOf(tenant, "rows")) as {
        result: Record<string, unknown>[];
        row_count: number;
      };
      expect([row_count, result.map(({ project, id }) => `${project} ${id}`)]).toEqual([
        3,
        [0, 1, 2].map((n) => `${tenant} 9-${n}`),
      ]);
      expect(result[0]).toHaveProperty(`${tenant}_top`, `${tenant}-top`);
    }
  });

  it("has groups, counts and messages of that tenant alone, also in its state and its rehearsal", async () => {
    for (const tenant of tenants) {
      const id = await alert(tenant, "groups", {
        group_by: ["event_message"],
        message: "{{event_message}}: {{n}}",
        when: { column: "n", op: ">=", value: 1 },
      });
      await firstOf(tenant, "groups");
      await until(() => toldAt(tenant, "groups").length === 3, "its groups");
      const messages = toldAt(tenant, "groups").map((body) => (JSON.parse(body) as { message: string }).message);
      expect(messages.sort()).toEqual([0, 1, 2].map((n) => `message of ${tenant} ${n}: 1`));
      const state = await manage(service, "GET", `/api/alerts/${id}/state`);
      const range = { from: "2026-08-20T10:00:00Z", to: "2026-08-20T10:01:00Z" };
      const rehearsed = await manage(service, "POST", `/api/alerts/${id}/test`, range);
      for (const { status, body } of [state, rehearsed]) {
        expect([status, JSON.stringify(body)]).toEqual([200, expect.stringMatching(marks[tenant])]);
        expect(JSON.stringify(body)).not.toMatch(marks[otherOf(tenant)]);
      }
    }
  });

  it("counts that tenant's rows alone", async () => {
    for (const tenant of tenants) await alert(tenant, "forgetful");
    for (const tenant of tenants) {
      expect(await firstOf(tenant, "forgetful")).toMatchObject({ result: [{ top: tenant, n: 3 }] });
    }
  });

  it("fails by that tenant's rows alone, and tells it to its destination alone", async () => {
    for (const tenant of tenants) await alert(tenant, "numbers");
    expect(await firstOf("zebra", "numbers")).toMatchObject({ status: "firing", result: [{ n: 3 }] });
    expect(await firstOf("yucca", "numbers")).toMatchObject({ status: "failing" });
    expect(toldAt("zebra", "numbers").join()).not.toContain("failing");
  });

  it("tells its destination while those of others do not answer", async () => {
    const before = silent.requests.length;
    for (const n of [0, 1, 2, 3, 4, 5]) {
      const notify = [{ type: "webhook", url: at(silent, `/alert/${n}`) }];
      await alert("yucca", "rows", { name: `silent ${n}`, notify });
    }
    await until(() => silent.requests.length >= before + 6, "the requests that nobody answers");
    const notify = [{ type: "webhook", url: at(hooks.zebra, "/behind") }];
    await alert("zebra", "rows", { name: "behind", notify });
    await until(() => takenAt(hooks.zebra, "/behind").length > 0, "the notice behind them");
  });
});

describe("a token that is not an owner's", () => {
  const missing = "00000000-0000-4000-8000-000000000000";

  it("is refused for alerts, backends and rules in the same words, whether they are there or not", async () => {
    const call = async (method: string, path: string, token: string) => {
      const response = await fetch(service.url + path, {
        method,
        headers: { "x-api-key": token, "content-type": "application/json" },
        ...(method === "GET" || method === "DELETE" ? {} : { body: "{}" }),
      });
      return [response.status, await response.text()] as const;
    };
    let seen = 0;
    for (const kind of ["alerts", "backends", "rules"]) {
      const listed = (await manage(service, "GET", `/api/${kind}`)).body as unknown as { id: string; name?: string }[];
      const [there] = listed;
      expect(there).toBeDefined();
      const below = { alerts: ["/state", "/silence", "/test"], backends: ["/test"], rules: [] }[kind] ?? [];
      const calls = [
        ...["GET", "PUT", "PATCH", "DELETE"].map((method) => [method, ""] as const),
        ...below.map((path) => [path === "/state" ? "GET" : "POST", path] as const),
      ];
      for (const token of Object.values(tokens)) {
        for (const [method, path] of calls) {
          const refused = await call(method, `/api/${kind}/${there?.id}${path}`, token);
          expect([method, path, ...refused]).toEqual([
            method,
            path,
            ...(await call(method, `/api/${kind}/${missing}${path}`, token)),
          ]);
          expect(refused[1]).not.toMatch(/zebra|yucca/i);
          expect([401, 403, 404, 405]).toContain(refused[0]);
          seen++;
        }
        const [status, text] = await call("GET", `/api/${kind}`, token);
        expect([status, text]).toEqual([401, expect.stringContaining("insufficient_scope")]);
        expect((await call("POST", `/api/${kind}`, token))[0]).toBe(401);
      }
      // Nothing was changed or removed.
      const after = (await manage(service, "GET", `/api/${kind}`)).body as unknown as { id: string }[];
      expect(after.map(({ id }) => id)).toEqual(listed.map(({ id }) => id));
    }
    expect(seen).toBeGreaterThan(50);
  });
});
