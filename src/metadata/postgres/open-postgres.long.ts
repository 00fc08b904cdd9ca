import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasPostgres, type PostgresCluster, startPostgres } from "../../../test/support/postgres-cluster.ts";
import { UserError } from "../../shared/user-error.ts";
import { openMetadata } from "../open-metadata.ts";
import { createSourceStore } from "../source-store.ts";

/** The message for the operator who starts the service. */
async function refusalOf(url: string): Promise<string> {
  const error: unknown = await openMetadata(url).then(
    (opened) => opened.close(),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(UserError);
  return error instanceof Error ? error.message : "";
}

describe.runIf(hasPostgres())("an unusable database", () => {
  let cluster: PostgresCluster;
  let url: URL;

  const at = (change: (changed: URL) => void): string => {
    const changed = new URL(url);
    change(changed);
    return changed.href;
  };

  beforeAll(async () => {
    cluster = await startPostgres();
    url = new URL(cluster.createDatabase());
    cluster.sql("postgres", "CREATE ROLE guarded LOGIN PASSWORD 'right'; CREATE ROLE plain LOGIN");
    cluster.sql("postgres", "CREATE ROLE full LOGIN SUPERUSER CONNECTION LIMIT 0; ALTER ROLE full NOSUPERUSER");
  });

  afterAll(() => cluster.stop());

  it("is reported when nothing answers or the name does not exist", async () => {
    expect(await refusalOf(at((to) => (to.port = "1")))).toMatch(/ECONNREFUSED.*named by LOGWEIR_METADATA_URL/);
    expect(await refusalOf(at((to) => (to.hostname = "nowhere.invalid")))).toContain(
      "there is no host nowhere.invalid",
    );
    expect(await refusalOf(at((to) => (to.pathname = "/none")))).toContain(
      "there is no database none. Make it: createdb",
    );
  });

  it("is reported without the password when the user is refused", async () => {
    const guarded = (password: string) => {
      return at((to) => {
        to.username = "guarded";
        to.password = password;
      });
    };
    const told = await refusalOf(guarded("wrong-hunter2"));
    expect(told).toContain("refused the user guarded: password authentication failed");
    expect(told).not.toContain("hunter2");
    expect(await refusalOf(guarded(""))).toContain("refused the user guarded");
    expect(await refusalOf(at((to) => (to.username = "plain")))).toMatch(
      /may not do what is needed \(permission denied/,
    );
    expect(await refusalOf(at((to) => (to.username = "full")))).toContain("has no connection left");
    expect(await refusalOf(at((to) => to.searchParams.set("sslmode", "require")))).toContain("TLS failed");
  });

  it("is reported and left unchanged when it contains something else or is of a later release", async () => {
    const other = new URL(cluster.createDatabase());
    const name = other.pathname.slice(1);
    cluster.sql(name, "CREATE TABLE tokens (x int)");
    expect(await refusalOf(other.href)).toContain("holds tables of something else");
    cluster.sql(name, "DROP TABLE tokens");
    await (await openMetadata(other.href)).close();
    cluster.sql(name, "INSERT INTO kysely_migration VALUES ('9999-future', '2030-01-01')");
    expect(await refusalOf(other.href)).toMatch(
      /brought up to date by a later release \(9999-future is not known here\)/,
    );
    cluster.sql(name, "DELETE FROM kysely_migration WHERE name = '9999-future'");
    cluster.sql(name, "UPDATE service_keys SET value = 'short'");
    const opened = await openMetadata(other.href);
    await expect(opened.readKey()).rejects.toThrow(/The key in .* is damaged/);
    await opened.close();
    cluster.sql("postgres", `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    cluster.sql(name, "SET default_transaction_read_only = off; DELETE FROM service_keys");
    expect(await refusalOf(other.href)).toContain("it is read-only, as a standby is");
    cluster.sql("postgres", "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0");
    expect(await refusalOf(at((to) => (to.pathname = "/latin")))).toContain("is in LATIN1; make one in UTF8");
  });

  it("is set up once by concurrent starts, and still works after a later release has added to it", async () => {
    const fresh = cluster.createDatabase();
    const opened = await Promise.all(Array.from({ length: 6 }, () => openMetadata(fresh)));
    const keys = await Promise.all(opened.map((each) => each.readKey()));
    expect(new Set(keys.map((key) => Buffer.from(key).toString("hex"))).size).toBe(1);
    // Like the migration of a later release, while these services run.
    cluster.sql(new URL(fresh).pathname.slice(1), "ALTER TABLE sources ADD COLUMN later text NOT NULL DEFAULT ''");
    const [first, second] = opened;
    if (first === undefined || second === undefined) throw new Error("They were not opened");
    await createSourceStore(first, () => 0).put({ name: "a", document: "{}" });
    expect(await createSourceStore(second, () => 0).list()).toEqual([{ name: "a", document: "{}" }]);
    await Promise.all(opened.map((each) => each.close()));
  });
});

describe.runIf(hasPostgres())("a node on a database that goes away", () => {
  it("knows whether others can be notified, and waits for no change of theirs to find out", async () => {
    const cluster = await startPostgres();
    const url = cluster.createDatabase();
    const opened = [await openMetadata(url), await openMetadata(url)];
    try {
      const joining = { isEngineShared: true, nowMs: Date.now, log: () => undefined };
      const [changing, asking] = await Promise.all(opened.map((each) => each.join(joining)));
      await changing?.exclusively(async () => expect(await asking?.checkAnnouncing()).toBeUndefined());
      await cluster.kill();
      await expect(asking?.checkAnnouncing()).rejects.toMatchObject({ code: "metadata_unavailable" });
    } finally {
      await Promise.all(opened.map((each) => each.close()));
      await cluster.stop();
    }
  });

  it("takes over what others changed meanwhile once the database is back", async () => {
    const cluster = await startPostgres();
    const opened = await openMetadata(cluster.createDatabase());
    try {
      const said: string[] = [];
      const log = (_level: string, message: string) => void said.push(message);
      const node = await opened.join({ isEngineShared: true, nowMs: Date.now, log });
      const sources = createSourceStore(opened, Date.now);
      await cluster.kill();
      await expect.poll(() => said.join()).toContain("is away");
      // Nothing was taken over for this one yet, as after a change by another node.
      const taken: number[] = [];
      node.onChange("sources", async () => void taken.push((await sources.list()).length));
      await cluster.restart();
      await expect.poll(() => said.join()).toContain("answers again");
      expect(taken).toEqual([0]);
      expect(node.state()).toBe("current");
    } finally {
      await opened.close();
      await cluster.stop();
    }
  });
});
