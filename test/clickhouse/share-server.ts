import { openSharedServer } from "./shared-server.ts";

/** One server for all test files of a run, at the address that they look for. */
export default async function setup(): Promise<() => Promise<void>> {
  const { server, release } = await openSharedServer();
  process.env.LOGWEIR_TEST_CLICKHOUSE_URL = server.url;
  return release;
}
