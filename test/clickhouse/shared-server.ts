/** A ClickHouse server for one run. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "./start.ts";

export interface SharedServer {
  readonly server: {
    readonly url: string;
    readonly user: string;
    readonly password: string;
    readonly database: string;
  };
  release(): Promise<void>;
}

/** Opens the server at LOGWEIR_TEST_CLICKHOUSE_URL, or a test server that ends with the run. */
export async function openSharedServer(): Promise<SharedServer> {
  const access = { user: "default", password: "", database: "default" };
  const { LOGWEIR_TEST_CLICKHOUSE_URL: given } = process.env;
  if (given !== undefined && given !== "") {
    return { server: { ...access, url: given }, release: async () => undefined };
  }
  const folder = mkdtempSync(join(tmpdir(), "logweir-clickhouse-"));
  const running = await startServer({ folder });
  return {
    server: { ...access, url: running.url },
    async release() {
      await running.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
