/**
 * A ClickHouse for tests: `node bin/tool.mjs test/clickhouse/serve.ts FOLDER [PORT] [STATEMENT ...]`, where the statements
 * make users. Says where it listens; what was stored stays in the folder. Where a
 * test started it, it ends with the test.
 */
import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { loadLibrary } from "./chdb.ts";
import { TestServer } from "./server.ts";

const [folder = "clickhouse-data", port = "0", ...users] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const limits = JSON.parse(process.env.LOGWEIR_TEST_HTTP_LIMITS ?? "{}") as Record<string, number>;
const server = await TestServer.start(loadLibrary(), { folder: resolve(folder), port: Number(port), users, limits });
process.stdout.write(`${server.url}\n`);
process.once("disconnect", () => process.exit());
