import type { KyselyPlugin } from "kysely";
import { describe, expect, it } from "vitest";
import { sampleOf } from "../../test/support/sample-size.ts";
import { createAuthenticator } from "../access/authenticator.ts";
import type { TokenStore } from "../access/token.ts";
import type { NewVersion } from "../endpoints/management/endpoint-store.ts";
import type { MetadataDatabase } from "./database.ts";
import { createDrainStore } from "./drain-store.ts";
import { createEndpointStore } from "./endpoint-store.ts";
import { openMetadata } from "./open-metadata.ts";
import { createSourceStore } from "./source-store.ts";
import { createTokenStore } from "./token-store.ts";
import { createViewStore } from "./view-store.ts";

/** When a statement fails: before it runs, or after it with its answer lost. */
type Moment = "before" | "after";

/** Counts statements, and makes one of them fail. */
function createFaults() {
  const faults = { count: 0, failing: -1, moment: "before" as Moment };
  const step = (moment: Moment) => {
    if (faults.moment === moment && faults.count === faults.failing) throw new Error("injected");
    if (moment === "after") faults.count++;
  };
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      step("before");
      return node;
    },
    async transformResult({ result }) {
      step("after");
      return result;
    },
  };
  return { faults, plugin };
}

async function openFaulty() {
  const plain = await openMetadata(":memory:");
  const { faults, plugin } = createFaults();
  const database: MetadataDatabase = {
    ...plain,
    queries: plain.queries.withPlugin(plugin),
    versionOf: (topic) => plain.versionOf(topic),
    inTurn: (name, work) =>
      plain.inTurn(name, (transaction) => work(transaction.withPlugin(plugin) as typeof transaction)),
  };
  /** All rows of all tables, without random values. */
  const dump = async () => {
    const tables = await plain.queries.introspection.getTables();
    const rows = tables.map(async ({ name }) => {
      const found = await plain.queries
        .selectFrom(name as "tokens")
        .selectAll()
        .execute();
      return found.map((row) =>
        JSON.stringify(row, (key, value: unknown) => (/hash/.test(key) && value !== null ? "" : value)),
      );
    });
    const texts = JSON.stringify((await Promise.all(rows)).map((all) => all.sort()));
    return texts.replaceAll(/\b[0-9a-f]{12,}\b|[0-9a-f-]{36}/g, "");
  };
  return { plain, database, faults, dump };
}

type Faulty = Awaited<ReturnType<typeof openFaulty>>;

const version = (document: string): NewVersion => ({
  endpointId: "a",
  name: "a",
  author: "me",
  action: "create",
  rollbackTo: undefined,
  changed: [],
  document,
  contract: "{}",
});
const pinnedOwner = { description: "", scopes: ["private", "query"], pins: { a: "b" }, expiresAt: undefined };

/** The initial state, and a change to it. */
interface Change {
  readonly before?: (database: MetadataDatabase) => Promise<unknown>;
  readonly change: (database: MetadataDatabase) => Promise<unknown>;
}

const tokensOf = (database: MetadataDatabase) => createTokenStore(database, () => 5);
const endpointsOf = (database: MetadataDatabase) => createEndpointStore(database, () => 5);
const firstToken = async (database: MetadataDatabase) => String((await tokensOf(database).list())[0]?.id);
const saved = (database: MetadataDatabase) => endpointsOf(database).save(version("{}"), undefined);
const view = { name: "n", endpoint: "e", state: "s", author: "me", isShared: false };

const changes: Readonly<Record<string, Change>> = {
  "a token is made": { change: (database) => tokensOf(database).create(pinnedOwner) },
  "a token is rotated": {
    before: (database) => tokensOf(database).create(pinnedOwner),
    change: async (database) => tokensOf(database).rotate(await firstToken(database), 1_000),
  },
  "a token is revoked": {
    before: (database) => tokensOf(database).create(pinnedOwner),
    change: async (database) => tokensOf(database).revoke(await firstToken(database)),
  },
  "pinned owners are demoted": {
    before: async (database) => {
      for (let i = 0; i < 3; i++) await tokensOf(database).create(pinnedOwner);
    },
    change: (database) => tokensOf(database).demotePinnedOwners(),
  },
  "an endpoint is saved": { change: saved },
  "an endpoint is saved again": { before: saved, change: (database) => endpointsOf(database).save(version("{2}"), 1) },
  "an endpoint is removed": { before: saved, change: (database) => endpointsOf(database).remove("a", 1) },
  "versions are recorded": {
    before: saved,
    change: (database) => endpointsOf(database).record([version("{2}"), version("{3}")]),
  },
  "a source is put": { change: (database) => createSourceStore(database, () => 5).put({ name: "a", document: "{}" }) },
  "a backend is put": {
    change: (database) => createDrainStore(database).putBackend({ id: "a", document: "{}", config: "c" }),
  },
  "a view is added": { change: (database) => createViewStore(database, () => 5).add(view, 3) },
};

/** The states before and after the change, and the number of its statements. */
async function observe({ before, change }: Change) {
  const { plain, database, faults, dump } = await openFaulty();
  await before?.(plain);
  const first = await dump();
  faults.count = 0;
  await change(database);
  const statements = faults.count;
  const last = await dump();
  await plain.close();
  return { first, last, statements };
}

async function failAt({ before }: Change, failing: number, moment: Moment, then: (opened: Faulty) => Promise<void>) {
  const opened = await openFaulty();
  await before?.(opened.plain);
  Object.assign(opened.faults, { count: 0, failing, moment });
  await then(opened);
  await opened.plain.close();
}

describe("the metadata database", () => {
  it.each(Object.entries(changes))(
    "applies a change completely or not at all when %s, whichever statement fails",
    async (_, each) => {
      const { first, last, statements } = await observe(each);
      expect(first).not.toBe(last);
      const cases = Array.from({ length: statements * 2 }, (_, index) => index);
      for (const index of sampleOf(cases, 0.25)) {
        await failAt(each, index >> 1, index % 2 === 0 ? "before" : "after", async (opened) => {
          const { database, plain, faults, dump } = opened;
          await expect(each.change(database)).rejects.toThrow("injected");
          expect([first, last]).toContain(await dump());
          // No lock is left behind: the next change succeeds.
          faults.failing = -1;
          await createSourceStore(database, () => 5).put({ name: "later", document: "{}" });
          expect(await createSourceStore(plain, () => 5).list()).toContainEqual({ name: "later", document: "{}" });
        });
      }
    },
  );

  const byName: Readonly<Record<string, (store: TokenStore, id: string) => Promise<unknown>>> = {
    "a token is rotated": (store, id) => store.rotate(id, 0),
    "a token is revoked": (store, id) => store.revoke(id),
    "pinned owners are demoted": (store) => store.demotePinnedOwners(),
  };
  it.each(Object.keys(byName))(
    "lets the authenticator match the stored tokens even if the answer was lost when %s",
    async (name) => {
      const each = changes[name];
      if (each === undefined) throw new Error(name);
      const { statements } = await observe(each);
      for (let failing = 0; failing < statements; failing++) {
        await failAt({ change: each.change }, -1, "after", async ({ database, plain, faults }) => {
          const store = createTokenStore(database, () => 5);
          const { secret } = await store.create(pinnedOwner);
          const authenticator = createAuthenticator(store, [], () => 5);
          expect((await authenticator.authenticate(secret))?.scopes).toEqual(["query"]);
          const [{ id } = { id: "" }] = await store.list();
          Object.assign(faults, { count: 0, failing });
          const changing = byName[name]?.(store, id) ?? Promise.resolve();
          await changing.catch(() => undefined);
          faults.failing = -1;
          const fresh = createAuthenticator(
            createTokenStore(plain, () => 5),
            [],
            () => 5,
          );
          expect(await authenticator.authenticate(secret)).toEqual(await fresh.authenticate(secret));
        });
      }
    },
  );
});
