import { describe, expect, it } from "vitest";
import type { Backend } from "../drains/backend.ts";
import type { FieldProblems } from "../shared/documents/document-form.ts";
import type { Alert, AlertPlan } from "./alert.ts";
import { planOf, showAlert } from "./alert-document.ts";
import type { AlertForm } from "./alert-form.ts";
import { Alerts } from "./alerts.ts";
import type { AlertFile } from "./load-alerts.ts";

const form = (name: string, more: Partial<AlertForm> = {}): AlertForm & Record<string, unknown> => {
  return { name, sql: "select 1", every: "1m", ...more };
};
const file = (name: string, more: Partial<AlertForm> = {}, path = `alerts/${name}.yaml`): AlertFile => {
  return { path, form: form(name, more) };
};

const unused = () => {
  throw new Error("a change of alerts needs none of this");
};

function open({ canMail = false } = {}) {
  const fixture = {
    nowMs: 1_000,
    stored: new Map<string, Alert>(),
    written: [] as string[],
    problems: (_plan: AlertPlan): FieldProblems => ({}),
    findAddressProblem: async (url: string) => (url.includes("10.0.0.1") ? "is private" : undefined),
    isWritable: (_name: string) => true,
    plans: [] as readonly AlertPlan[],
    put: [] as string[],
  };
  const alerts = new Alerts({
    alerts: [],
    documents: {
      async put(all) {
        if (!all.every(({ form: { name } }) => fixture.isWritable(name))) throw new Error("the disk is full");
        fixture.written.push(...all.map(({ form: { name } }) => name));
        for (const alert of all) fixture.stored.set(alert.id, alert);
      },
      async remove(ids) {
        for (const id of ids) fixture.stored.delete(id);
      },
    },
    running: {
      replaceAll: (plans) => (fixture.plans = plans),
      put: (plan) => fixture.put.push(plan.name),
      remove: unused,
      ...{ stateOf: unused, figures: unused },
    },
    queries: {
      findProblems: (plan) => fixture.problems(plan),
      run: async () => ({ rows: [], isCut: false, sources: [] }),
      ...{ redactionsOf: unused, isRedactedSo: unused },
    },
    findBackend: (id) => (id === "pager" ? ({ id } as Backend) : undefined),
    findAddressProblem: (url) => fixture.findAddressProblem(url),
    canMail,
    nowMs: () => fixture.nowMs,
    amongServices: (work) => work(),
  });
  const names = () => alerts.alerts.map((each) => each.form.name);
  return { fixture, alerts, names };
}

it("one that is saved among thousands is the only one that runs otherwise", async () => {
  const { fixture, alerts, names } = open();
  await alerts.takeFiles(Array.from({ length: 250 }, (_, count) => file(`file ${count}`)));
  const before = fixture.plans;
  for (const name of ["a", "b"]) await alerts.save(form(name));
  await alerts.save({ every: "2m" }, alerts.find("a").id);
  expect([fixture.put, fixture.plans === before]).toEqual([["a", "b", "a"], true]);
  expect(names().slice(-2)).toEqual(["a", "b"]);
});

it("no change waits for the look-up of another's address", async () => {
  const { fixture, alerts, names } = open();
  let answer = () => {};
  const answered = new Promise<undefined>((resolve) => (answer = () => resolve(undefined)));
  fixture.findAddressProblem = () => answered;
  const slow = { notify: [{ type: "webhook" as const, url: "http://silent.test/" }] };
  const saved = alerts.save(form("slow", slow));
  const { written } = await alerts.takeFiles([file("slow file", slow)]);
  const problems = Promise.all(written.map((alert) => alerts.describeProblems(alert)));
  await alerts.save(form("quick"));
  expect(names()).toEqual(["slow file", "quick"]);
  answer();
  expect(await problems).toEqual([[]]);
  expect((await saved).form.name).toBe("slow");
});

describe("alerts of files", () => {
  it("come, change and go with their files, and leave those of the API alone", async () => {
    const { fixture, alerts, names } = open();
    await alerts.save(form("own"));
    expect(await alerts.takeFiles([file("a"), file("b")])).toEqual({
      ...{ added: ["a", "b"], changed: [], removed: [], written: [alerts.find("a"), alerts.find("b")] },
    });
    expect(names()).toEqual(["own", "a", "b"]);
    fixture.nowMs = 2_000;
    fixture.written.length = 0;
    expect(await alerts.takeFiles([file("b", { every: "2m" }), file("c")])).toMatchObject({
      ...{ added: ["c"], changed: ["b"], removed: ["a"] },
    });
    expect(fixture.written).toEqual(["b", "c"]);
    expect(alerts.find("b")).toMatchObject({ file: "alerts/b.yaml", createdAtMs: 1_000, updatedAtMs: 2_000 });
    expect(new Set(fixture.stored.keys())).toEqual(new Set(alerts.alerts.map(({ id }) => id)));
    expect(await alerts.takeFiles([file("b", { every: "2m" }), file("c")])).toMatchObject({ changed: [], added: [] });
    expect(fixture.written).toEqual(["b", "c"]);
    await alerts.takeFiles([]);
    expect(names()).toEqual(["own"]);
  });

  it("have ids that are UUIDs, the same for a name on every service", async () => {
    const [first, second] = [open(), open()];
    for (const { alerts } of [first, second]) await alerts.takeFiles([file("a"), file("b")]);
    const idsOf = ({ alerts }: typeof first) => alerts.alerts.map(({ id }) => id);
    expect(idsOf(first)).toEqual(idsOf(second));
    expect(new Set(idsOf(first)).size).toBe(2);
    for (const id of idsOf(first))
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it("cannot be changed over the API, but silenced, which outlives changes of the file", async () => {
    const { alerts } = open();
    await alerts.takeFiles([file("a")]);
    const refused = {
      code: "alert_read_only",
      message: "The alert a lives in the file alerts/a.yaml: change it there",
    };
    await expect(alerts.save({ enabled: false }, "a")).rejects.toMatchObject(refused);
    await expect(alerts.remove(alerts.find("a").id)).rejects.toMatchObject(refused);
    await alerts.silence("a", 5_000);
    await alerts.takeFiles([file("a", { every: "2m" }, "elsewhere/a.yaml")]);
    expect(alerts.find("a")).toMatchObject({
      ...{ silencedUntilMs: 5_000, file: "elsewhere/a.yaml" },
      form: { every: "2m" },
    });
  });

  it("take the place of the API's with their name, with its id and silence, and keep the name", async () => {
    const { alerts, names } = open();
    const { id } = await alerts.save(form("a"));
    await alerts.silence(id, 5_000);
    expect(await alerts.takeFiles([file("a", { every: "2m" })])).toMatchObject({ changed: ["a"] });
    expect(alerts.find("a")).toMatchObject({ id, silencedUntilMs: 5_000, file: "alerts/a.yaml" });
    const taken = { fields: { name: ["is the name of the alert in alerts/a.yaml"] } };
    await expect(alerts.save(form("a"))).rejects.toMatchObject({ details: taken });
    const other = await alerts.save(form("b"));
    await expect(alerts.save({ name: "a" }, other.id)).rejects.toMatchObject({ details: taken });
    expect(names()).toEqual(["a", "b"]);
  });

  it("that cannot run or tell anyone are there all the same, and say why when they come or change", async () => {
    const { fixture, alerts, names } = open();
    fixture.problems = ({ name }) => (name === "a" ? { sql: ["There is no table nowhere"] } : {});
    const files = [
      file("a"),
      file("b", { notify: ["pager", "nobody", { type: "webhook", url: "http://10.0.0.1/" }] }),
      file("c", { notify: ["pager"] }),
    ];
    const { written } = await alerts.takeFiles(files);
    expect(await Promise.all(written.map((alert) => alerts.describeProblems(alert)))).toEqual([
      ["alerts/a.yaml: sql: There is no table nowhere"],
      [
        'alerts/b.yaml: notify: "nobody" is no backend; GET /api/backends lists them',
        "alerts/b.yaml: notify: is private",
      ],
      [],
    ]);
    expect(names()).toEqual(["a", "b", "c"]);
    expect((await alerts.takeFiles(files)).written).toEqual([]);
  });

  it("are in effect as far as they are stored, and the next reading makes up for the rest", async () => {
    const { fixture, alerts, names } = open();
    await alerts.takeFiles([file("old")]);
    fixture.isWritable = (name) => name !== "b";
    await expect(alerts.takeFiles([file("a"), file("b")])).rejects.toThrow("the disk is full");
    expect(names()).toEqual(["old"]);
    const many = Array.from({ length: 150 }, (_, index) => file(`a${index}`));
    await expect(alerts.takeFiles([...many, file("b")])).rejects.toThrow("the disk is full");
    expect(names()).toEqual(["old", ...many.slice(0, 100).map(({ form: { name } }) => name)]);
    fixture.isWritable = () => true;
    const { added, removed } = await alerts.takeFiles([...many, file("b")]);
    expect([added.length, removed]).toEqual([51, ["old"]]);
  });
});

describe("an alert", () => {
  it("sends mail to addresses that are some, each apart, where a server for mail is set", async () => {
    const mailing = (...to: readonly unknown[]) => ({ ...form("a"), notify: [{ type: "email", to }] });
    const { alerts } = open({ canMail: true });
    const { id, form: saved } = await alerts.save(mailing("ops@example.com", "o'b+x@a-b.example", "ops@example.com"));
    expect(planOf({ id, form: saved }).destinations).toEqual([
      { type: "email", to: "ops@example.com" },
      { type: "email", to: "o'b+x@a-b.example" },
    ]);
    expect(showAlert(alerts.find("a")).notify).toEqual([
      { type: "email", to: ["ops@example.com", "o'b+x@a-b.example", "ops@example.com"] },
    ]);
    const message = "to: must be a list of 1 to 20 addresses, as ops@example.com";
    const many = Array.from({ length: 21 }, (_, n) => `a${n}@example.com`);
    await expect(alerts.save(mailing(...many.slice(1)))).resolves.toBeDefined();
    for (const wrong of [
      ...[[], many, ["ops"], ["a@b@c"], ["a@b\r\nBcc: c@d"], ["Ops <a@b>"], ["a@b, c@d"], ["a@b..c"], ["@b"], ["a@"]],
      ...[["a @b"], ["a@b\n"], [1], [["a@b"]], [`${"a".repeat(253)}@b`]],
    ]) {
      const refused = alerts.save(mailing(...wrong));
      await expect(refused, JSON.stringify(wrong)).rejects.toMatchObject({
        details: { fields: { notify: [message] } },
      });
    }
    await expect(alerts.save(mailing("\u0000a@b"))).rejects.toMatchObject({
      details: { fields: { notify: ["0.to.0: has the control character U+0000"] } },
    });
    const noServer = open().alerts.save(mailing("ops@example.com"));
    const reason = "mail is sent only where LOGWEIR_SMTP_URL and LOGWEIR_SMTP_FROM are set";
    await expect(noServer).rejects.toMatchObject({ details: { fields: { notify: [reason] } } });
  });

  it("is found by its id, or by a name that it alone has; a file's name is its own", async () => {
    const { alerts } = open();
    const [first, second] = [await alerts.save(form("a")), await alerts.save(form("b"))];
    expect([alerts.find("a").id, alerts.find(second.id.toUpperCase()).id]).toEqual([first.id, second.id]);
    await alerts.save(form("a"));
    expect(() => alerts.find("a")).toThrow("Several alerts are called a: use an id");
    expect(() => alerts.find("none")).toThrow("There is no alert none");
    await alerts.takeFiles([file("a")]);
    expect(alerts.find("a").file).toBe("alerts/a.yaml");
  });
});
