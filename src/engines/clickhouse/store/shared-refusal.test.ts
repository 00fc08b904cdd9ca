import { expect, it } from "vitest";
import { EngineError, type LogEvent } from "../../contract/query-engine.ts";
import type { ServerClient } from "../driver/client.ts";
import type { DecidedSource } from "./decisions.ts";
import type { SchemaKeeper } from "./schema-keeper.ts";
import { ClickHouseStore } from "./store.ts";

const never = new AbortController().signal;
const event = (id: string, fields: LogEvent["fields"] = {}): LogEvent => ({
  ...{ id, hasGeneratedId: false, timestampUs: 1n, eventMessage: null, fields },
});

/** A store whose server is silent from its start on: each question is answered once the test says that it is away. */
async function openSilent() {
  const asked: string[] = [];
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const ask = async (question: string) => {
    asked.push(question);
    await ended;
    throw new EngineError("unavailable", "The ClickHouse server does not answer", { isLost: true });
  };
  const edge: DecidedSource = { name: "edge", table: "t", entries: [], rules: { fields: [], tenantField: null } };
  const keeper = {
    version: async () => "1",
    read: async () => ({ sources: new Map([["edge", edge]]), taken: new Set<string>() }),
    readTenants: async () => new Map(),
    apply: async () => undefined,
    isDropped: () => false,
    strayColumns: () => [],
    noteTenants: async () => undefined,
    propose: () => ask("propose"),
  } satisfies Partial<SchemaKeeper>;
  const client = { rows: () => ask("rows") } as unknown as ServerClient;
  const store = new ClickHouseStore({
    ...{ client, keeper: keeper as unknown as SchemaKeeper, place: { database: "d" } },
    ...{ watchMs: 1e6, log: () => undefined },
  });
  await store.open();
  return { store, asked, end };
}

const away = { status: "rejected", reason: expect.objectContaining({ code: "unavailable", isLost: true }) };

it.each<[string, (store: ClickHouseStore, index: number) => Promise<unknown>, string]>([
  ["new fields", (store, index) => store.append("edge", [event(`${index}`, { [`f${index}`]: 1 })], never), "propose"],
  ["deletions", (store, index) => store.deleteEvents("edge", { id: `${index}` }), "rows"],
])("a silent server is asked once for all %s that wait, and again for what comes later", async (_, call, question) => {
  const { store, asked, end } = await openSilent();
  const waiting = [1, 2, 3, 4, 5].map((index) => call(store, index));
  await expect.poll(() => asked.length).toBe(1);
  end();
  expect(await Promise.allSettled(waiting)).toEqual(waiting.map(() => away));
  expect(asked).toEqual([question]);
  expect(await Promise.allSettled([call(store, 6)])).toEqual([away]);
  expect(asked).toEqual([question, question]);
  await store.close();
});

it("a silent server is asked once for all events that wait for a block", async () => {
  const { store, asked, end } = await openSilent();
  const first = store.append("edge", [event("a")], never);
  await expect.poll(() => asked.length).toBe(1);
  const second = store.append("edge", [event("b")], never);
  await new Promise((resolve) => setImmediate(resolve));
  end();
  expect(await Promise.allSettled([first, second])).toEqual([away, away]);
  expect(asked).toEqual(["rows"]);
  await store.close();
});
