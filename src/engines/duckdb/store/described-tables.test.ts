import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { STRING } from "../../../googlesql/types.ts";
import type { EventValue, SourceDefinition } from "../../contract/query-engine.ts";
import { type DuckDbEngine, openMemoryEngine } from "../index.ts";

const signal = new AbortController().signal;
const edge: SourceDefinition = {
  name: "edge",
  tenantField: "project",
  knownFields: [{ path: "project", type: STRING }],
};

let engine: DuckDbEngine;
let made = 0;

beforeEach(async () => {
  engine = await openMemoryEngine({ threads: 1 });
  await engine.store.ensureSource(edge);
  await send("mine", { status: 1 });
  await send("other", { status: 1 });
});
afterEach(() => engine.close());

async function send(project: string, fields: Readonly<Record<string, EventValue>>): Promise<void> {
  const id = `event ${++made}`;
  const event = { id, hasGeneratedId: false, timestampUs: BigInt(made), eventMessage: null };
  await engine.store.append("edge", [{ ...event, fields: { project, ...fields } }], signal);
}

const views = { whole: undefined, mine: "mine", other: "other", declared: null } as const;
const describeAll = () =>
  Object.fromEntries(Object.entries(views).map(([name, tenant]) => [name, engine.store.describe("edge", tenant)]));

/** The views that are different objects after the work than before, where two calls returned the same one. */
async function changedBy(work: () => Promise<unknown>): Promise<readonly string[]> {
  const before = describeAll();
  const again = describeAll();
  for (const name of Object.keys(views)) expect(again[name]).toBe(before[name]);
  await work();
  const after = describeAll();
  return Object.keys(views).filter((name) => after[name] !== before[name]);
}

describe("the cached table description", () => {
  it.each<[string, () => Promise<unknown>, readonly string[]]>([
    ["stays the same while events bring nothing new", () => send("mine", { status: 2 }), []],
    [
      "changes for owners and for the tenant that sends a new field",
      () => send("mine", { fresh: "a" }),
      ["whole", "mine"],
    ],
    [
      "stays the same for a tenant that has the field which another sends first",
      () => send("other", { fresh: "a" }),
      ["whole", "other"],
    ],
    ["changes when a tenant sends a field with a second type", () => send("mine", { status: "a" }), ["whole", "mine"]],
    ["stays the same when the source is ensured again unchanged", () => engine.store.ensureSource(edge), []],
    [
      "changes for all when the source declares another field",
      () =>
        engine.store.ensureSource({
          ...edge,
          knownFields: [...edge.knownFields, { path: "level", type: STRING }],
        }),
      ["whole", "mine", "other", "declared"],
    ],
    [
      "changes for all when the source is dropped and created again",
      async () => {
        await engine.store.dropSource("edge");
        expect(engine.store.describe("edge", "mine")).toBeUndefined();
        await engine.store.ensureSource(edge);
      },
      ["whole", "mine", "other", "declared"],
    ],
  ])("%s", async (_, work, changed) => {
    expect(await changedBy(work)).toEqual(changed);
  });

  it("is separate for each tenant, and unknown tenants share that of a tenant without events", () => {
    const columns = (tenant: string | null | undefined) =>
      engine.store.describe("edge", tenant)?.columns.map(({ name }) => name);
    expect(columns("mine")).toContain("status");
    expect(columns("nobody")).not.toContain("status");
    expect(columns("nobody")).toEqual(columns(null));
    expect(engine.store.describe("edge", "Mine")).not.toBe(engine.store.describe("edge", "mine"));
  });

  it("shows a new field once its event is stored, and not before", async () => {
    const sending = send("mine", { fresh: "a" });
    const during = engine.store.describe("edge", "mine");
    await sending;
    const after = engine.store.describe("edge", "mine");
    expect(after?.columns.map(({ name }) => name)).toContain("fresh");
    expect(during?.columns.map(({ name }) => name)).not.toContain("fresh");
  });
});
