import { expect, it } from "vitest";
import type { SchemaEntry } from "../../schema/schema-entry.ts";
import { SourceStates } from "../../schema/source/source-states.ts";
import { defaultStoreLimits } from "../../schema/source/store-limits.ts";
import type { DecidedSource, Outcome } from "./decisions.ts";
import type { SchemaKeeper } from "./schema-keeper.ts";
import { SchemaWatch } from "./schema-watch.ts";

const rules = { fields: [], tenantField: null };
const left: SchemaEntry = { role: "value", path: "left", type: "INT64", column: "c1" };

function decidedSource(table: string, entries: readonly SchemaEntry[] = []): DecidedSource {
  return { name: "passing", table, entries, rules };
}

/** Reads `decided` while this node performs `meanwhile`. */
async function lookAt(decided: DecidedSource | undefined, meanwhile: (node: Node) => Promise<void> | void) {
  const sources = new SourceStates(defaultStoreLimits.schema);
  const dropped = new Set<string>();
  const made: string[] = [];
  const node: Node = {
    sources,
    drop: () =>
      sources.drop("passing", async () => {
        dropped.add(sources.all()[0]?.table ?? "a");
      }),
  };
  const outcome: Outcome = {
    sources: new Map(decided === undefined ? [] : [[decided.name, decided]]),
    taken: new Set(),
  };
  let looks = 0;
  const keeper = {
    version: async () => String(++looks),
    read: async () => outcome,
    async readTenants() {
      if (looks > 1) await meanwhile(node);
      return new Map();
    },
    isDropped: (table: string) => dropped.has(table),
    apply: async ({ table }: DecidedSource) => void made.push(table),
    strayColumns: () => [],
  } satisfies Partial<SchemaKeeper>;
  const watch = new SchemaWatch({
    keeper: keeper as unknown as SchemaKeeper,
    sources,
    watchMs: 1e6,
    log: () => undefined,
  });
  await watch.start();
  made.length = 0;
  await watch.refresh();
  await watch.stop();
  return { sources, made };
}

interface Node {
  readonly sources: SourceStates;
  readonly drop: () => Promise<void>;
}

it("the schema watch does not restore a source that this node dropped during the read", async () => {
  const { sources, made } = await lookAt(decidedSource("a", [left]), ({ drop }) => drop());
  expect(sources.find("passing")).toBeUndefined();
  expect(made).toEqual([]);
});

it("the schema watch gives a source that was created again no fields of its predecessor", async () => {
  const { sources } = await lookAt(decidedSource("a", [left]), async (node) => {
    await node.drop();
    node.sources.add({ ...decidedSource("b"), tenants: [] });
  });
  expect(sources.get("passing")).toMatchObject({ table: "b", entries: [] });
});

it("the schema watch preserves a source that this node created during the read", async () => {
  const { sources } = await lookAt(undefined, (node) => {
    node.sources.add({ ...decidedSource("b"), tenants: [] });
  });
  expect(sources.get("passing").table).toBe("b");
});
