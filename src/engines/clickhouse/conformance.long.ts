/** The whole suite, over a server on a real port. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { openServer, type ServerProcess } from "../../../test/clickhouse/start.ts";
import { testConformance } from "../../../test/engine-conformance/test-conformance.ts";
import type { Engine } from "../contract/query-engine.ts";
import { createResidualEngine } from "../duckdb/index.ts";
import { openClickHouseEngine } from "./index.ts";

const folder = mkdtempSync(join(tmpdir(), "logweir-conformance-"));
let server: Promise<ServerProcess> | undefined;

afterAll(async () => {
  await (await server)?.kill();
  rmSync(folder, { recursive: true, force: true });
});

/** On a server of your own (see `openServer`), the tables are created in a database `logweir_test`. */
async function open(): Promise<Engine> {
  server ??= openServer({ folder });
  const urls = [(await server).url];
  return openClickHouseEngine({
    ...{ urls, user: "default", password: "", database: "logweir_test", migrates: true },
    residual: createResidualEngine({ threads: 2 }),
  });
}

testConformance({ name: "the engine over ClickHouse", open, notSupported: {}, cases: "all" });
