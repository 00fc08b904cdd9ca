import { describe, expect, it } from "vitest";
import { EngineError } from "../contract/query-engine.ts";
import { BATCH_COLUMN } from "./blocks/native-rows.ts";
import type { ServerClient } from "./driver/client.ts";
import { fixedColumns } from "./layout.ts";
import { findCondition } from "./server-condition.ts";

type Rows = readonly (readonly unknown[])[];

const healthy: Readonly<Record<string, Rows | EngineError>> = {
  "system.tables": [["query_log", "MergeTree ORDER BY event_date TTL event_date + INTERVAL 7 DAY"]],
  "system.mutations": [["events_a", "3", ""]],
  "system.replicas": [["events_a_rows", 0, 0, "5", 3, 3]],
  "system.zookeeper": [["4"]],
  logweir_schema: [
    ["a", "1", JSON.stringify({ kind: "make", table: "events_a", entries: [], rules: { tenantField: null } })],
  ],
  "system.columns": [
    ["events_a", [...fixedColumns.map(({ name }) => name), BATCH_COLUMN]],
    ["logweir_schema", ["source"]],
  ],
};

/** A server that answers by the table that a statement reads. */
function look(changes: Readonly<Record<string, Rows | EngineError>> = {}, cluster?: string) {
  const answers = { ...healthy, ...changes };
  const client: Pick<ServerClient, "rows"> = {
    async rows(sql) {
      const answer = Object.entries(answers).find(([table]) =>
        new RegExp(`FROM \`?(?:logs\`\\.\`)?${table}`).test(sql),
      );
      if (answer === undefined) throw new Error(sql);
      if (answer[1] instanceof EngineError) throw answer[1];
      return answer[1];
    },
  };
  return findCondition(client, { database: "logs", cluster }, { readsSchema: true });
}

const codesOf = async (...call: Parameters<typeof look>) => (await look(...call)).findings.map(({ code }) => code);

describe("the condition of a server", () => {
  it("has nothing to tell where all is well, on a cluster too", async () => {
    expect(await look()).toEqual({ findings: [], unread: [] });
    expect(await look({}, "main")).toEqual({ findings: [], unread: [] });
  });

  it.each<readonly [string, Readonly<Record<string, Rows>>, string, RegExp]>([
    ["logs without a TTL", { "system.tables": [["part_log", "MergeTree"]] }, "log_without_ttl", /system\.part_log/],
    ["many mutations", { "system.mutations": [["events_a", "21", ""]] }, "mutations_behind", /21 unfinished/],
    ["a failing one", { "system.mutations": [["events_a", "1", "no disk"]] }, "mutations_behind", /fail: no disk/],
    ["a read-only replica", { "system.replicas": [["r", 1, 0, "0", 3, 3]] }, "read_only_replica", /refuses events/],
    ["a lost session", { "system.replicas": [["r", 0, 1, "0", 3, 3]] }, "keeper_away", /session with Keeper/],
    ["a replica that lags", { "system.replicas": [["r", 0, 0, "301", 3, 3]] }, "replica_behind", /301 seconds/],
    ["a replica that is down", { "system.replicas": [["r", 0, 0, "0", 2, 3]] }, "replica_away", /2 of 3.*none more/],
    [
      "no quorum",
      { "system.replicas": [["r", 0, 0, "0", 1, 3]] },
      "replica_away",
      /1 of 3.*needs 2, so that events are/,
    ],
    ["a missing table", { "system.columns": [] }, "missing_table", /table events_a of the source a/],
    ["a missing column", { "system.columns": [["events_a", ["id"]]] }, "missing_column", /lacks the columns timestamp/],
  ])("tells %s", async (_, changes, code, message) => {
    const { findings } = await look(changes);
    expect(findings).toMatchObject([{ code, message: expect.stringMatching(message) }]);
  });

  it("tells tables that no source has", async () => {
    const columns = healthy["system.columns"] as Rows;
    expect(await codesOf({ "system.columns": [...columns, ["events_old_1", ["id"]]] })).toEqual(["unknown_table"]);
  });

  it("tells that Keeper does not answer, which only a cluster has", async () => {
    const away = { "system.zookeeper": new EngineError("unavailable", "no Keeper") };
    expect(await codesOf(away, "main")).toEqual(["keeper_away"]);
    expect(await codesOf(away)).toEqual([]);
  });

  it("names what the user may not read, and tells the rest", async () => {
    const refused = new EngineError("refused", "no right");
    const condition = await look({ "system.mutations": refused, "system.columns": [] });
    expect(condition.unread).toEqual(["system.mutations"]);
    expect(condition.findings).toMatchObject([{ code: "missing_table" }]);
    await expect(look({ "system.mutations": new EngineError("unavailable", "away") })).rejects.toThrow("away");
  });
});
