import { describe, expect, it } from "vitest";
import { STRING } from "../../../googlesql/types.ts";
import type { LogEvent, SourceDefinition, StoredBody } from "../../contract/query-engine.ts";
import type { ThreadEvents } from "../../encoder/encoder-thread.ts";
import { defaultStoreLimits, type StoreLimits } from "../../schema/source/store-limits.ts";
import type { EncodedBatch } from "../batch/batch.ts";
import { BatchEncoder } from "../batch/event-encoder.ts";
import type { EngineHost } from "../host/protocol.ts";
import { DuckDbStore } from "./store.ts";

const signal = new AbortController().signal;
const body = { bytes: new Uint8Array(3) } as unknown as StoredBody;
const definitionOf = (name: string, ...fields: string[]): SourceDefinition => {
  return { name, knownFields: fields.map((path) => ({ path, type: STRING })) };
};
const eventOf = (fields: LogEvent["fields"]): LogEvent => {
  return { id: "x", hasGeneratedId: false, timestampUs: 1n, eventMessage: null, fields };
};
type Encode = ThreadEvents<EncodedBatch>["encode"];

/** Lets everything run that does not have to wait. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A store over a host that does nothing, and notes what it is asked. */
function open(schema: Partial<StoreLimits["schema"]> = {}) {
  const asked: string[] = [];
  const told = {
    adding: async (): Promise<void> => undefined,
    appended: (): void => undefined,
    encode: (async ({ tree, full }) => new BatchEncoder().encode({ tree, full }, [eventOf({})])) as Encode,
  };
  let tables = 0;
  const host: Partial<EngineHost> = {
    async createSources(sources) {
      asked.push(`create ${sources.map(({ name }) => name).join()}`);
      return sources.map((source) => ({ ...source, table: `events_${++tables}`, tenants: [] }));
    },
    async defineSource(name, rules) {
      asked.push(`define ${name}`);
      const { table, entries } = store.stateOf(name);
      return { name, table, entries, tenants: [], rules };
    },
    async addEntries(name, entries) {
      asked.push(`add ${entries.map(({ path }) => path).join()} to ${name}`);
      await told.adding();
    },
    async append(name, batch) {
      asked.push(`append to ${name}`);
      told.appended();
      return { stored: batch?.header.rowCount ?? 0, repeated: 0 };
    },
  };
  const encoder = {
    async read() {
      const remarks = { rejected: [], untimed: 0 };
      const encode: Encode = (...call) => told.encode(...call);
      return { count: 1, remarks, newestTimestampUs: 1n, keys: undefined, release: () => undefined, encode };
    },
  };
  const limits = { ...defaultStoreLimits, schema: { ...defaultStoreLimits.schema, ...schema } };
  const store: DuckDbStore = new DuckDbStore(() => host as EngineHost, { limits, encoder });
  const send = async () => store.appendBody?.("edge", body, signal) ?? expect.unreachable();
  return { store, asked, told, send };
}

describe("a change of a source's schema", () => {
  it("is asked of the host where there is one, and only for what changes", async () => {
    const { store, asked } = open();
    await store.ensureSources([definitionOf("a"), definitionOf("b", "level")]);
    expect(asked.splice(0)).toEqual(["create a,b"]);
    expect(store.stateOf("b").table).toBe("events_2");
    await store.ensureSources([definitionOf("a"), definitionOf("b", "level")]);
    expect(asked.splice(0)).toEqual([]);
    await store.ensureSources([definitionOf("a"), definitionOf("c")]);
    expect(asked.splice(0)).toEqual(["create c"]);
    await store.ensureSource(definitionOf("a", "level"));
    expect(asked.splice(0)).toEqual([expect.stringMatching(/^add .*level to a$/), "define a"]);
    // After a restart the definition is told anew.
    const sources = ["a", "b"].map((name) => {
      const { table, entries, rules } = store.stateOf(name);
      return { name, table, entries, tenants: [], rules };
    });
    store.load({ sources });
    await store.ensureSources([definitionOf("a", "level"), definitionOf("b", "level")]);
    expect(asked).toEqual([]);
  });

  it("lets events that were encoded before it be encoded again", async () => {
    const { store, asked, told, send } = open();
    await store.ensureSource(definitionOf("edge"));
    const encode = told.encode;
    let finish = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let count = 0;
    told.encode = async (...call) => {
      count++;
      const outcome = await encode(...call);
      if (count === 1) await held;
      return outcome;
    };
    const sent = send();
    await nextTurn();
    await store.append("edge", [eventOf({ fresh: 1 })], signal);
    finish();
    expect(await sent).toMatchObject({ stored: 1 });
    expect(count).toBe(2);
    expect(asked.slice(-2)).toEqual(["append to edge", "append to edge"]);
  });

  it("lets events that need none wait for one that is under way", async () => {
    const { store, asked, told, send } = open();
    await store.ensureSource(definitionOf("edge"));
    asked.length = 0;
    let finish = (): void => undefined;
    const begun = new Promise<void>((begin) => {
      told.adding = () =>
        new Promise((resolve) => {
          finish = resolve;
          begin();
        });
    });
    const first = store.append("edge", [eventOf({ fresh: 1 })], signal);
    await begun;
    const second = send();
    await nextTurn();
    expect(asked).toEqual([expect.stringMatching(/^add .*fresh to edge$/)]);
    finish();
    await Promise.all([first, second]);
    expect(asked).toHaveLength(3);
  });

  it("is not asked for again by a tenant that was refused one", async () => {
    const { store, told, send } = open({ maxTenantFields: 0, maxFields: 0 });
    await store.ensureSource(definitionOf("edge"));
    const encode = told.encode;
    const seen: unknown[] = [];
    told.encode = async (state, full) => {
      seen.push([...full].sort());
      const tenant = ["a", "b"].find((each) => !full.has(each));
      if (tenant === undefined) return encode(state, full);
      return { missing: [{ tenant, requests: [{ role: "value", path: "n", type: "INT64", isSingle: true }] }] };
    };
    expect(await send()).toMatchObject({ stored: 1 });
    expect(seen.at(-1)).toEqual(["a", "b"]);
  });

  it("is given up where events lack something after a thousand of them", async () => {
    const { store, told, send } = open();
    await store.ensureSource(definitionOf("edge"));
    let count = 0;
    told.encode = async () => {
      if (++count > 2001) throw new Error("It goes on");
      return { missing: [] };
    };
    await expect(send()).rejects.toThrow("The schema of edge still lacks fields of events after 1000 changes");
    expect(count).toBe(2000);
  });

  it("is what a host that started again meanwhile says, also of what the events have carried", async () => {
    const { store, told } = open();
    const edge = { ...definitionOf("edge", "project"), tenantField: "project" };
    await store.ensureSource(edge);
    told.appended = () => {
      const { table, entries, rules } = store.stateOf("edge");
      const own = entries.flatMap((entry, index) => (entry.path === "project" ? [index] : [])).join();
      const other = { role: "value", path: "other", type: "INT64", column: "c99" } as const;
      const at = entries.findIndex(({ path }) => path === "n");
      const later = [...entries.slice(0, at), other, ...entries.slice(at)];
      store.load({ sources: [{ name: "edge", table, entries: later, tenants: [["a", `${own},${at + 1}`]], rules }] });
    };
    await store.append("edge", [eventOf({ project: "a", n: 1 })], signal);
    const names = store.describe("edge", "a")?.columns.map(({ name }) => name);
    expect(names?.slice(3)).toEqual(["project", "n"]);
  });
});
