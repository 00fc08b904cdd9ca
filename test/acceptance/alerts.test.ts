import { createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Destination, startDestination } from "../support/destination.ts";
import { readStoredTexts } from "../support/stored-texts.ts";
import { patienceMs, waitUntil } from "../support/wait-until.ts";
import { privateToken, publicToken, type ServiceProcess, startServiceProcess } from "./service.ts";

const env = { LOGWEIR_PRIVATE_DESTINATIONS: "127.0.0.1", LOGWEIR_AUDIT: "all" };
let service: ServiceProcess;
let dataDir: string;
let hook: Destination;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "logweir-alerts-"));
  service = await startServiceProcess({ dataDir, env });
  hook = await startDestination();
});

afterAll(async () => {
  await service.stop();
  await hook.close();
  await rm(dataDir, { recursive: true, force: true });
});

interface ShownAlert {
  readonly id: string;
  readonly [field: string]: unknown;
}

async function call<T = ShownAlert>(method: string, path: string, body?: object, token = privateToken) {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, json: (text === "" ? {} : JSON.parse(text)) as T };
}

async function create(alert: object): Promise<ShownAlert> {
  const made = await call("POST", "/api/alerts", alert);
  expect(made.status, made.text).toBe(201);
  return made.json;
}

async function problemsOf(alert: object): Promise<readonly string[]> {
  const { status, json } = await call<{ error: { fields: object } }>("POST", "/api/alerts", alert);
  expect(status).toBe(422);
  return Object.keys(json.error.fields);
}

const until = (isTrue: () => boolean | Promise<boolean>, what: string) => waitUntil(isTrue, patienceMs, what);
const told = (path: string) =>
  hook.taken.filter((each) => each.path === path).map(({ body }) => JSON.parse(body) as Record<string, unknown>);
const at = (path: string) => hook.url.replace("/hook", path);

const reference = {
  name: "errors",
  query: "select event_message from edge",
  cron: "*/5 * * * *",
};

describe("alerts", () => {
  it("take the reference's form, with its statuses, and never show a secret", async () => {
    const urls = { webhook_notification_url: at("/w?key=s3cret"), slack_hook_url: at("/services/s3cret") };
    const made = await create({ ...reference, ...urls, description: null });
    expect(made).toMatchObject({
      ...reference,
      token: made.id,
      language: "bq_sql",
      enabled: true,
      backends: [],
      webhook_notification_url: at("/w?********"),
      slack_hook_url: at("/********"),
    });
    const path = `/api/alerts/${made.id}`;
    expect((await call("PUT", path, { ...made, name: "renamed" })).json).toEqual({
      ...made,
      name: "renamed",
      updated_at: expect.any(String),
    });
    const patched = await call("PATCH", path, { query: "f:edge", language: "lql" });
    expect([patched.status, patched.text]).toEqual([204, ""]);
    const listed = await call<readonly ShownAlert[]>("GET", "/api/alerts");
    expect(listed.json).toMatchObject([{ id: made.id, language: "lql", query: "f:edge", name: "renamed" }]);
    expect(listed.text + service.output()).not.toContain("s3cret");
    for (const text of await readStoredTexts(dataDir)) expect(text.includes("s3cret")).toBe(false);
    expect((await call("DELETE", path)).status).toBe(204);
    expect((await call("GET", path)).status).toBe(404);
  });

  it("name the fields that are wrong, and are for owners only", async () => {
    expect((await call("GET", "/api/alerts", undefined, publicToken)).status).toBe(401);
    const sql = "select count(*) as n, project from edge group by project";
    const own = { name: "n", sql, every: "1m" };
    for (const [alert, fields] of [
      [{}, ["name", "query", "cron"]],
      [{ ...own, name: "" }, ["name"]],
      [{ ...reference, cron: "*/4 * * * *" }, ["cron"]],
      [{ ...reference, cron: "nonsense" }, ["cron"]],
      [{ ...reference, query: "select nope(1) from edge" }, ["query"]],
      [{ ...reference, query: "select @p from edge" }, ["parameters"]],
      [{ ...reference, language: "pg_sql" }, ["language"]],
      [{ ...reference, backend_ids: ["none"] }, ["backend_ids"]],
      [{ ...reference, backend_ids: [1] }, ["backend_ids"]],
      [{ ...reference, webhook_notification_url: "http://169.254.1.1/" }, ["webhook_notification_url"]],
      [{ ...reference, slack_hook_url: "http://10.0.0.1/x" }, ["slack_hook_url"]],
      [{ ...reference, unknown: 1 }, ["unknown"]],
      [{ ...own, every: "5s" }, ["every"]],
      [{ ...own, zone: "UTC" }, ["zone"]],
      [{ ...own, cron: "0 0 * * *" }, ["cron"]],
      [{ ...own, lql: "f:edge" }, ["lql"]],
      [{ ...own, when: { column: "n" } }, ["when"]],
      [{ ...own, when: { column: "m", op: ">", value: 1 } }, ["when"]],
      [{ ...own, when: { column: "n", op: ">", value: "1" } }, ["when"]],
      [{ ...own, missing: "fire" }, ["missing"]],
      [{ ...own, group_by: ["host"], message: "{{n}} {{host}}" }, ["group_by", "message"]],
      [{ ...own, notify: ["none", { type: "carrier" }] }, ["notify"]],
      [{ ...own, notify: [{ type: "webhook", url: "http://10.0.0.1/", secret: "********" }] }, ["notify"]],
      [{ name: "n", every: "1m", endpoint: "nowhere" }, ["endpoint"]],
      [{ name: "n", every: "1m", endpoint: "logs.all", parameters: { project: ["x"] } }, ["parameters"]],
    ] as const) {
      expect([alert, await problemsOf(alert)]).toEqual([alert, fields]);
    }
  });

  it("tell a webhook, Slack and a backend of rows, once the condition holds, and of its end", async () => {
    const backend = await call("POST", "/api/backends", { name: "b", type: "webhook", config: { url: at("/b") } });
    const alert = await create({
      name: "failures",
      sql: "select project, count(*) as n, null as nothing from edge where metadata.status >= 500 group by project",
      every: "10s",
      when: { column: "n", op: ">=", value: 2 },
      group_by: ["project"],
      severity: "critical",
      message: "{{n}} failures of {{project}}",
      notify: [
        backend.json.id,
        { type: "webhook", url: at("/signed"), secret: "k3y" },
        { type: "slack", url: at("/slack/T1") },
        { type: "alertmanager", url: at("/am") },
        { type: "pagerduty", url: at("/pd"), key: "r0ute" },
      ],
    });
    const failure = { event_message: "x", metadata: { status: 500 } };
    await service.ingest("edge", [
      ...["a", "b"].map((id) => ({ id, project: "<!here>", ...failure })),
      { id: "c", project: "one", ...failure },
    ]);
    await until(() => ["/signed", "/slack/T1", "/b", "/am", "/pd"].every((path) => told(path).length > 0), "all told");
    const [request] = hook.taken.filter(({ path }) => path === "/signed");
    const { "logweir-timestamp": seconds, "logweir-signature": signature } = request?.headers ?? {};
    const digest = createHmac("sha256", "k3y").update(`${seconds}.${request?.body}`).digest("hex");
    expect(signature).toBe(`v1=${digest}`);
    const [firing] = told("/signed");
    expect(firing).toMatchObject({
      status: "firing",
      alert: { id: alert.id, name: "failures", severity: "critical" },
      labels: { project: "<!here>" },
      value: 2,
      message: "2 failures of <!here>",
      result: [{ project: "<!here>", n: 2, nothing: null }],
    });
    expect(JSON.stringify(told("/slack/T1"))).toContain("2 failures of &lt;!here&gt;");
    const [events] = told("/b") as unknown as readonly [readonly object[]];
    expect(events).toMatchObject([{ id: firing?.id, event_message: "2 failures of <!here>", status: "firing" }]);
    expect(told("/am")).toMatchObject([[{ labels: { alertname: "failures", project: "<!here>" } }]]);
    expect(told("/pd")).toMatchObject([{ routing_key: "r0ute", event_action: "trigger", dedup_key: firing?.incident }]);
    const state = await call("GET", `/api/alerts/${alert.id}/state`);
    expect(state.json).toMatchObject({ status: "firing", groups: [{ labels: { project: "<!here>" }, value: "2" }] });

    expect((await call("PATCH", `/api/alerts/${alert.id}`, { when: { column: "n", op: ">", value: 2 } })).status).toBe(
      204,
    );
    await until(() => told("/signed").length === 2 && told("/pd").length === 2, "the end is told");
    expect(told("/signed")[1]).toMatchObject({ status: "resolved", incident: firing?.incident });
    expect(told("/pd")[1]).toMatchObject({ event_action: "resolve", dedup_key: firing?.incident });
    expect(new Set(hook.taken.map(({ headers }) => headers["idempotency-key"])).has(String(firing?.id))).toBe(true);
    await until(() => /"action":"alert.resolved"/.test(service.output()), "the audit of the end");
    await until(() => /"action":"query.run".*"surface":"alert"/.test(service.output()), "the audit of a run");
    await call("DELETE", `/api/alerts/${alert.id}`);
  });

  it("say that they cannot run, and send what waits after a kill", async () => {
    hook.answer = ({ path }) => ({ status: path === "/later" ? 503 : 200 });
    const alert = await create({
      name: "broken",
      sql: "select cast(event_message as int64) as n from edge",
      every: "10s",
      notify: [{ type: "webhook", url: at("/later") }],
    });
    await until(
      async () => /answered 503/.test((await call("GET", `/api/alerts/${alert.id}/state`)).text),
      "the reason why a notice waits",
    );
    const ended = once(service.process, "exit");
    service.process.kill("SIGKILL");
    await ended;
    hook.answer = () => ({ status: 200 });
    service = await startServiceProcess({ dataDir, env });
    await until(() => told("/later").length > 0, "the notice");
    const [before] = hook.requests.filter(({ path }) => path === "/later");
    expect(told("/later")[0]).toMatchObject({
      id: (JSON.parse(String(before?.body)) as ShownAlert).id,
      status: "failing",
      message: expect.stringContaining("query_failed"),
    });
    expect((await call("GET", `/api/alerts/${alert.id}/state`)).json).toMatchObject({ status: "failing" });
  });

  it("tell nothing of events that are deleted before a notice is taken, and leave no text of rows in the audit", async () => {
    hook.answer = ({ path }) => ({ status: path === "/forgotten" ? 503 : 200 });
    await service.ingest("edge", [
      { id: "forgotten-1", event_message: "by m4rk3d", project: "p" },
      { id: "forgotten-2", event_message: "by another", project: "p" },
    ]);
    const alert = await create({
      name: "forgotten",
      sql: "select id, event_message from edge where starts_with(id, 'forgotten-') order by id",
      every: "10s",
      message: "{{event_message}}",
      group_by: ["event_message"],
      notify: [{ type: "webhook", url: at("/forgotten") }],
    });
    const path = `/api/alerts/${alert.id}/state`;
    await until(async () => /answered 503/.test((await call("GET", path)).text), "a notice that waits");
    expect((await call("DELETE", "/api/sources/edge/events?id=forgotten-1")).json).toMatchObject({ deleted: 1 });
    // One that was under way is refused; one that still waited would hold up the others.
    hook.answer = ({ body }) => ({ status: body.includes("m4rk3d") ? 503 : 200 });
    await until(() => told("/forgotten").length > 0, "what is left");
    expect(told("/forgotten")).toMatchObject([{ status: "firing", message: "by another", row_count: 1 }]);
    const audited = () =>
      service
        .output()
        .split("\n")
        .filter((line) => line.includes('"alert.firing"'));
    await until(() => audited().some((line) => line.includes('"target":"forgotten"')), "the audit");
    expect(audited().join("")).not.toContain("m4rk3d");
    await call("DELETE", `/api/alerts/${alert.id}`);
  });

  it("show nothing that their endpoint redacts where they cannot run", async () => {
    const query = "select cast(event_message as int64) as n from edge where id = 'unread'";
    expect((await call("POST", "/api/endpoints", { name: "unread", query, redact_pii: true })).status).toBe(201);
    await service.ingest("edge", [{ id: "unread", event_message: "to someone@example.com", project: "p" }]);
    const notify = [{ type: "webhook", url: at("/unread") }];
    const alert = await create({ name: "u", endpoint: "unread", every: "1h", notify });
    await until(() => told("/unread").length === 1, "a notice");
    // ClickHouse tells only of what kind the value is not.
    const problem =
      process.env.LOGWEIR_TEST_ENGINE === "clickhouse" ? "Bad INT64 value" : "Bad int64 value: to REDACTED";
    const message = `u cannot run: ${problem} (query_failed)`;
    expect(told("/unread")[0]).toMatchObject({ status: "failing", message });
    const state = (await call("GET", `/api/alerts/${alert.id}/state`)).text;
    expect(JSON.stringify(told("/unread")) + state + service.output()).not.toContain("someone@example.com");
    await call("DELETE", `/api/alerts/${alert.id}`);
  });

  it("run an endpoint with its parameters and its redaction", async () => {
    const endpoint = await call("POST", "/api/endpoints", {
      name: "mails",
      query: "select event_message as m from edge where id = @id",
      parameters: { id: { type: "string" } },
      redact_pii: true,
    });
    expect(endpoint.status, endpoint.text).toBe(201);
    await service.ingest("edge", [{ id: "mail", event_message: "to someone@example.com", project: "p" }]);
    const notify = [{ type: "webhook", url: at("/mails") }];
    const alert = await create({ name: "m", endpoint: "mails", parameters: { id: "mail" }, every: "1h", notify });
    await until(() => told("/mails").length === 1, "a notice");
    expect(told("/mails")[0]).toMatchObject({ status: "firing", row_count: 1 });
    expect(JSON.stringify(told("/mails"))).not.toContain("someone@example.com");
    const isAudited = (line: string) => /"endpoint\.run"/.test(line) && /"surface":"alert"/.test(line);
    await until(() => service.output().split("\n").some(isAudited), "the audit");
    await call("DELETE", `/api/alerts/${alert.id}`);
  });

  it.each([
    { endpoint: "waited" },
    { sql: "select event_message as m from waited" },
    { lql: "f:waited s:event_message" },
  ])("send nothing of what waited that an endpoint below redacts by now: %j", async (form) => {
    const inner = { name: "waited_below", query: "select timestamp, event_message from edge where id = 'waited'" };
    const outer = { name: "waited", query: "select * from waited_below" };
    for (const endpoint of [inner, outer]) {
      const { status, text } = await call("POST", "/api/endpoints", { ...endpoint, redact_pii: false });
      expect(status, text).toBe(201);
    }
    await service.ingest("edge", [{ id: "waited", event_message: "to someone@example.com", project: "p" }]);
    const path = `/waited-${Object.keys(form)[0]}`;
    hook.answer = (request) => ({ status: request.path === path ? 503 : 200 });
    const alert = await create({ name: path, ...form, every: "10s", notify: [{ type: "webhook", url: at(path) }] });
    const state = `/api/alerts/${alert.id}/state`;
    await until(async () => /answered 503/.test((await call("GET", state)).text), "a notice that waits");
    expect((await call("PATCH", "/api/endpoints/waited_below", { redact_pii: true })).status).toBe(204);
    hook.answer = () => ({ status: 200 });
    await until(() => told(path).length > 0, "a notice");
    expect(told(path)).toMatchObject([{ status: "firing", row_count: 1 }]);
    expect(JSON.stringify(told(path))).toContain("to REDACTED");
    for (const { name } of [outer, inner]) await call("DELETE", `/api/endpoints/${name}`);
    await call("DELETE", `/api/alerts/${alert.id}`);
  });

  it("are silenced, and rehearsed over the past", async () => {
    const alert = await create({
      name: "past",
      sql: "select event_message as m from edge where timestamp between timestamp_sub(current_timestamp(), interval 1 minute) and current_timestamp()",
      every: "1m",
      message: "saw {{m}}",
      enabled: false,
    });
    await service.ingest("edge", [
      { id: "past", timestamp: "2026-08-20T10:00:30Z", event_message: "it", project: "p" },
    ]);
    const path = `/api/alerts/${alert.id}`;
    const range = { from: "2026-08-20T09:55:00Z", to: "2026-08-20T10:05:00Z" };
    const tested = await call<{ runs: number; notices: Record<string, unknown>[] }>("POST", `${path}/test`, range);
    expect(tested.json.runs).toBe(10);
    expect(tested.json.notices.map(({ status, message }) => [status, message])).toEqual([
      ["firing", "saw it"],
      ["resolved", "past is resolved"],
    ]);
    const minute = (at: unknown) => Math.floor((Date.parse(String(at)) - Date.parse("2026-08-20T10:00:30Z")) / 60_000);
    expect(tested.json.notices.map(({ at }) => minute(at))).toEqual([0, 1]);
    const long = await call("POST", `${path}/test`, { ...range, from: "2025-08-20T09:55:00Z" });
    expect([long.status, long.text]).toEqual([400, expect.stringContaining("more than 300 times")]);
    const silenced = await call("POST", `${path}/silence`, { until: "2099-01-01T00:00:00Z" });
    expect(silenced.json).toMatchObject({ silenced_until: "2099-01-01T00:00:00.000Z" });
    expect((await call("POST", `${path}/silence`, { until: "soon" })).status).toBe(422);
    expect((await call("POST", `${path}/silence`, { until: null })).json).toMatchObject({ silenced_until: null });
  });
});
