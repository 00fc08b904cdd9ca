import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Destination, startDestination } from "../support/destination.ts";
import { runCommand } from "../support/run-command.ts";
import { patienceMs, waitUntil } from "../support/wait-until.ts";
import { privateToken, readError, type Service, startService } from "./service.ts";

let service: Service;
let folder: string;
let hook: Destination;

/** The folder of the service, and one for commands. */
const filed = (name: string, text: string) => writeFile(join(folder, "alerts", name), text);
const apart = (name: string) => join(folder, "apart", name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logweir-alert-files-"));
  for (const name of ["alerts", "apart"]) await mkdir(join(folder, name));
  hook = await startDestination();
  await filed("failures.yaml", failures(3));
  service = await start();
});

afterAll(async () => {
  await service.stop();
  await hook.close();
  await rm(folder, { recursive: true, force: true });
});

const env = { LOGWEIR_PRIVATE_DESTINATIONS: "127.0.0.1" };
const start = () => startService({ env, workingDir: folder, dataDir: join(folder, "data") });
const failures = (least: number) => `
sql: select project, count(*) as n from edge where metadata.status >= 500 group by project
every: 10s
when: {column: n, op: ">=", value: ${least}}
group_by: [project]
message: "{{n}} of {{project}}"
notify:
  - {type: webhook, url: "${hook.url}"}
`;

const told = () =>
  hook.taken.map(({ body }) => JSON.parse(body) as { status: string; message: string; incident: string });
const until = (isTrue: () => boolean | Promise<boolean>, what: string) => waitUntil(isTrue, patienceMs, what);
const call = (method: string, path: string, body?: object) =>
  fetch(`${service.url}${path}`, {
    method,
    headers: { "x-api-key": privateToken, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const get = async <T>(path: string) => (await (await call("GET", path)).json()) as T;
const reload = () => call("POST", "/api/reload");

async function command(...args: string[]) {
  const environment = { LOGWEIR_URL: service.url, LOGWEIR_TOKEN: privateToken };
  const { code, output, errors } = await runCommand(["alert", ...args], { environment });
  return { code, output, errors };
}

describe("alerts of files", () => {
  it("run and tell like those of the API, which shows and silences them, and changes none", async () => {
    await service.ingest(
      "edge",
      ["a", "b", "c"].map((id) => ({ id, project: "p", metadata: { status: 500 } })),
    );
    await until(() => told().length > 0, "a notice");
    expect(told()).toMatchObject([{ status: "firing", message: "3 of p" }]);
    const path = join(folder, "alerts", "failures.yaml");
    expect(await get("/api/alerts")).toMatchObject([{ name: "failures", origin: "file", file: path }]);
    for (const [method, body] of [
      ["PATCH", { enabled: false }],
      ["PUT", {}],
      ["DELETE", undefined],
    ] as const) {
      const refused = await readError(await call(method, "/api/alerts/failures", body));
      expect(refused).toMatchObject({ status: 409, code: "alert_read_only" });
      expect(JSON.stringify(refused)).toContain(path);
    }
    const silence = { until: "2099-01-01T00:00:00Z", comment: "moving" };
    expect(await (await call("POST", "/api/alerts/failures/silence", silence)).json()).toMatchObject({
      ...{ silenced_until: "2099-01-01T00:00:00.000Z", silence_comment: "moving" },
    });
  });

  it("are changed by a reload, with state and silence, or not at all", async () => {
    await filed("failures.yaml", failures(4));
    await filed("broken.yaml", "lql: f:edge\nevery: 1s\n");
    const refused = await readError(await reload());
    expect(refused).toMatchObject({
      ...{ status: 422, code: "validation_failed" },
      fields: { alerts: [expect.stringContaining("broken.yaml:2:1: every: must be 10 seconds or more")] },
    });
    expect(await get("/api/alerts/failures")).toMatchObject({ when: { value: 3 } });
    await filed("broken.yaml", "sql: select nothing from nowhere\nevery: 10s\n");
    expect(await (await reload()).json()).toMatchObject({
      alerts: { added: ["broken"], changed: ["failures"], removed: [] },
    });
    expect(await get("/api/alerts/failures")).toMatchObject({ when: { value: 4 }, silence_comment: "moving" });
    // The end of what was told is told in a silence too, and it is the end of the same incident.
    await until(() => told().length > 1, "the end");
    expect(told()[1]).toMatchObject({ status: "resolved", incident: told()[0]?.incident });
    await until(
      async () => (await get<{ status: string }>("/api/alerts/broken/state")).status === "failing",
      "a failure",
    );
    await rm(join(folder, "alerts", "broken.yaml"));
    expect(await (await reload()).json()).toMatchObject({ alerts: { removed: ["broken"] } });
    expect((await call("GET", "/api/alerts/broken")).status).toBe(404);
  });

  it("stop a start where one is wrong, and are there again after one, with their silence", async () => {
    await service.stop();
    await filed("wrong.yaml", "every: 1m\n");
    await expect(start()).rejects.toThrow(/wrong\.yaml:1:1: query: is missing: one of endpoint, sql, lql, query/);
    await rm(join(folder, "alerts", "wrong.yaml"));
    service = await start();
    expect(await get("/api/alerts")).toMatchObject([{ name: "failures", silence_comment: "moving" }]);
  });
});

describe("logweir alert", () => {
  it("applies files by name, removes what they no longer say, and names the file that is refused", async () => {
    await writeFile(apart("one.yaml"), "lql: f:edge\nevery: 1h\nseverity: info\nenabled: false\n");
    await writeFile(apart("two.yaml"), "sql: select 1 as n\nevery: 1h\nwhen: {column: n, op: '>', value: 0}\n");
    expect(await command("apply", join(folder, "apart"))).toMatchObject({
      ...{ code: 0, output: "created one\ncreated two\n2 alerts applied\n" },
    });
    await writeFile(apart("one.yaml"), "lql: f:edge\nevery: 2h\nenabled: false\n");
    const changed = await command("apply", apart("one.yaml"), "--json");
    expect(JSON.parse(changed.output)).toMatchObject([{ action: "changed", name: "one" }]);
    const one = await get<object>("/api/alerts/one");
    expect(one).toMatchObject({ every: "2h", origin: "api" });
    expect(one).not.toHaveProperty("severity");
    await writeFile(apart("two.yaml"), "sql: select 1 as m\nevery: 1h\nwhen: {column: n, op: '>', value: 0}\n");
    const refused = await command("apply", join(folder, "apart"));
    expect(refused).toMatchObject({
      code: 1,
      errors: expect.stringContaining(`${apart("two.yaml")}: The alert was not`),
    });
    await writeFile(apart("two.yaml"), "sql: select 1 as n\nevery: 1s\n");
    expect((await command("apply", join(folder, "apart"))).errors).toContain("two.yaml:2:1: every: must be 10 seconds");
    expect((await command("apply", join(folder, "alerts"))).errors).toContain("lives in the file");
  });

  it("lists and shows alerts with their state", async () => {
    await until(async () => (await get<{ status: string }>("/api/alerts/two/state")).status === "firing", "it fires");
    const { output } = await command("list");
    expect(output).toMatch(/^NAME +ID +ORIGIN +STATE +SINCE +NEXT RUN\n/);
    expect(output).toMatch(/^failures +[0-9a-f-]{36} +file +(?:ok|resolved), silenced(?: +20\d\d-\S+){1,2}$/m);
    expect(output).toMatch(/^one +[0-9a-f-]{36} +api +ok, off +never$/m);
    expect(output).toMatch(/^two +[0-9a-f-]{36} +api +firing +20\d\d-\S+ +20\d\d-\S+$/m);
    const listed = JSON.parse((await command("list", "--json")).output) as { name: string }[];
    expect(listed.map(({ name }) => name)).toEqual(["failures", "one", "two"]);
    const shown = (await command("show", "two")).output;
    expect(shown).toMatch(/^every +1h$/m);
    expect(shown).toMatch(/^STATE +SINCE +GROUP +VALUE\nfiring +20\d\d-\S+ +1$/m);
    expect(JSON.parse((await command("show", "two", "--json")).output)).toMatchObject({ state: { status: "firing" } });
    expect(await command("show", "nobody")).toMatchObject({
      code: 1,
      errors: expect.stringContaining("no alert nobody"),
    });
  });

  it("rehearses, silences, turns off and on, and deletes", async () => {
    const tested = await command("test", "two", "--from", "2026-08-20T10:00:00Z", "--to", "2026-08-20T13:00:00Z");
    expect(tested.output).toMatch(
      /^AT +STATUS +GROUP +MESSAGE\n2026-08-20T1\S+ +firing +two: n is 1 \(> 0\)\n3 runs, 1 notice\n$/,
    );
    expect((await command("test", "two", "--from", "soon")).errors).toContain("--from soon: must be a time");
    expect((await command("silence", "two", "--for", "2h", "--comment", "why not")).output).toMatch(
      /^The alert two is silent until 20\d\d-\S+Z\.\n$/,
    );
    expect(await get("/api/alerts/two")).toMatchObject({ silence_comment: "why not" });
    expect((await command("silence", "two", "--for", "0h")).errors).toContain("--for 0h: ");
    expect((await command("unsilence", "two")).output).toBe("The alert two is no longer silent.\n");
    expect(await get("/api/alerts/two")).toMatchObject({ silenced_until: null, silence_comment: null });
    expect((await command("disable", "two")).output).toBe("The alert two is off.\n");
    expect(await get("/api/alerts/two/state")).toMatchObject({ next_run_at: null });
    expect((await command("enable", "two")).output).toBe("The alert two is on.\n");
    expect(await get("/api/alerts/two/state")).toMatchObject({ next_run_at: expect.any(String) });
    expect((await command("disable", "failures")).errors).toContain("change it there");
    expect((await command("delete", "two")).output).toBe("The alert two was deleted.\n");
    expect((await call("GET", "/api/alerts/two")).status).toBe(404);
  });

  it("pulls what apply makes again, and tells what it would change", async () => {
    const pulled = join(folder, "pulled");
    const rest = { sql: "select 1 as n", every: "1h" };
    const backend = (await (
      await call("POST", "/api/backends", { name: "pager", type: "webhook", config: { url: hook.url } })
    ).json()) as { id: string };
    const made = [
      { ...rest, name: "../odd: name?", when: { column: "n", op: "=", value: "1" }, notify: [backend.id] },
      { ...rest, name: ".. odd/name!", enabled: false, message: "{{n}}: #1\n- two" },
      { name: "old", query: "select 1", cron: "0 * * * *" },
      { ...rest, name: "secret", notify: [{ type: "webhook", url: hook.url, secret: "hidden" }] },
    ];
    for (const document of made) expect((await call("POST", "/api/alerts", document)).status).toBe(201);
    const first = await command("pull", pulled);
    expect(first.output).toContain("left out secret: it has secrets; name a backend in notify");
    expect(first.output).toMatch(/^5 written, 1 left out, 0 unchanged$/m);
    const names = (await readdir(pulled)).sort();
    expect(names).toEqual(["-odd-name--2.yaml", "-odd-name-.yaml", "failures.yaml", "old.yaml", "one.yaml"]);
    expect((await command("pull", pulled)).output).toBe(
      "left out secret: it has secrets; name a backend in notify\n0 written, 1 left out, 5 unchanged\n",
    );
    expect(await command("diff", pulled)).toEqual({ code: 0, output: "", errors: "" });

    await call("PATCH", "/api/alerts/old", { description: "other", cron: "5 * * * *" });
    await call("DELETE", "/api/alerts/one");
    const differs = await command("diff", pulled);
    expect(differs).toMatchObject({ code: 2, output: "change old: cron, description\ncreate one\n" });
    expect(JSON.parse((await command("diff", join(pulled, "old.yaml"), "--json")).output)).toEqual([
      { action: "change", name: "old", fields: ["cron", "description"] },
    ]);
    const before = await readFile(join(pulled, "old.yaml"), "utf8");
    const refused = await command("pull", pulled);
    expect(refused).toMatchObject({ code: 1, errors: expect.stringContaining("--force overwrites them") });
    expect(await readFile(join(pulled, "old.yaml"), "utf8")).toBe(before);

    for (const file of ["old.yaml", "one.yaml"]) expect((await command("apply", join(pulled, file))).code).toBe(0);
    expect(await command("diff", pulled)).toEqual({ code: 0, output: "", errors: "" });
    await call("PATCH", "/api/alerts/old", { description: "again" });
    expect((await command("pull", pulled, "--force")).output).toMatch(/^1 written, 1 left out, 4 unchanged$/m);
    expect(await readFile(join(pulled, "old.yaml"), "utf8")).toContain("description: again");
    await call("POST", "/api/alerts", { ...rest, name: "old" });
    expect((await command("pull", pulled)).errors).toContain("Two alerts of the service have the name old: rename one");
  });
});
