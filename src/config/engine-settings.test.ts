import { describe, expect, it } from "vitest";
import { readConfiguration } from "./config.ts";

const places = { workingDir: "/nowhere", packageDir: "/package" };
const server = { LOGWEIR_ENGINE: "clickhouse", LOGWEIR_CLICKHOUSE_URL: "http://a:8123, https://b:8443" };

describe("the ClickHouse settings", () => {
  it("are ignored unless ClickHouse is the engine", () => {
    expect(readConfiguration(places, {}).settings.engineServer).toBeUndefined();
    const unused = { LOGWEIR_CLICKHOUSE_URL: "no address" };
    expect(readConfiguration(places, unused).settings.engineServer).toBeUndefined();
  });

  it("include addresses, users and the database", () => {
    expect(readConfiguration(places, server).settings.engineServer).toEqual({
      urls: ["http://a:8123", "https://b:8443"],
      user: "default",
      password: "",
      database: "logweir",
      migrates: false,
    });
    const more = {
      ...server,
      LOGWEIR_CLICKHOUSE_PASSWORD: "short",
      LOGWEIR_CLICKHOUSE_READER_USER: "reader",
      LOGWEIR_CLICKHOUSE_CLUSTER: "main",
      LOGWEIR_CLICKHOUSE_CA_FILE: "/ca.pem",
      LOGWEIR_CLICKHOUSE_MIGRATE: "on",
    };
    expect(readConfiguration(places, more).settings.engineServer).toMatchObject({
      password: "short",
      reader: { user: "reader", password: "" },
      cluster: "main",
      tls: { caFile: "/ca.pem" },
      migrates: true,
    });
  });

  it("bound the size of a store in megabytes, where it can be told", () => {
    const boundsOf = (env: Record<string, string>) => readConfiguration(places, env).settings.sizeBounds;
    expect(boundsOf({})).toEqual({ maxUsedBytes: undefined, minFreeBytes: undefined });
    expect(boundsOf({ ...server, LOGWEIR_MAX_STORE_MB: "5" })).toMatchObject({ maxUsedBytes: 5_000_000 });
    expect(boundsOf({ LOGWEIR_MAX_STORE_MB: "7", LOGWEIR_MIN_FREE_MB: "3" })).toEqual({
      maxUsedBytes: 7_000_000,
      minFreeBytes: 3_000_000,
    });
  });

  it.each([
    [{ LOGWEIR_CLICKHOUSE_URL: "" }, "LOGWEIR_CLICKHOUSE_URL: must be set"],
    [{ LOGWEIR_CLICKHOUSE_URL: "http://a,tcp://b:9000" }, "address 2 is no http:// or https:// address"],
    [{ LOGWEIR_CLICKHOUSE_URL: "http://u:hidden@a:8123" }, "must hold neither user nor password"],
    [{ LOGWEIR_CLICKHOUSE_URL: "http://a:8123/?readonly=0" }, "must hold neither user nor password nor settings"],
    [{ LOGWEIR_CLICKHOUSE_DATABASE: "a b" }, "LOGWEIR_CLICKHOUSE_DATABASE: must be a name"],
    [{ LOGWEIR_CLICKHOUSE_CLUSTER: "`x`" }, "LOGWEIR_CLICKHOUSE_CLUSTER: must be a name"],
    [{ LOGWEIR_CLICKHOUSE_KEY_FILE: "/k" }, "LOGWEIR_CLICKHOUSE_CERT_FILE: goes with"],
    [{ LOGWEIR_MIN_FREE_MB: "5" }, "LOGWEIR_MIN_FREE_MB: the server frees its disk some time after a deletion"],
    [
      { LOGWEIR_MAX_STORE_MB: "5", LOGWEIR_CLICKHOUSE_CLUSTER: "main" },
      "LOGWEIR_MAX_STORE_MB: the servers of a cluster",
    ],
    [{ LOGWEIR_ENGINE: "postgres" }, "LOGWEIR_ENGINE: must be one of duckdb, clickhouse"],
  ])("refuse %o", (env, message) => {
    expect(() => readConfiguration(places, { ...server, ...env })).toThrow(message);
  });

  it("show no password", () => {
    const secrets = {
      ...server,
      LOGWEIR_CLICKHOUSE_URL: "http://user:hidden@a:8123",
      LOGWEIR_CLICKHOUSE_PASSWORD: "hidden",
      LOGWEIR_CLICKHOUSE_READER_PASSWORD: "hidden",
      LOGWEIR_ENGINE: "duckdb",
    };
    const { effective } = readConfiguration(places, secrets);
    const shown = effective.map(({ definition, value }) =>
      definition.mask !== undefined && value !== undefined ? definition.mask(String(value)) : value,
    );
    expect(shown.join(" ")).not.toContain("hidden");
  });
});
