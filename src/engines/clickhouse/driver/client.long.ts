/** The driver over a real port. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ServerProcess, startServer } from "../../../../test/clickhouse/start.ts";
import { openServerClient, type ServerClient, type ServerQuery } from "./client.ts";

const folder = mkdtempSync(join(tmpdir(), "logweir-clickhouse-"));
let server: ServerProcess;
let client: ServerClient;

function open(urls: readonly string[], password = ""): ServerClient {
  return openServerClient({ urls, user: "default", password, database: "default", callTimeoutMs: 5000 });
}

beforeAll(async () => {
  server = await startServer({ folder });
  // Nothing listens at the first address.
  client = open(["http://127.0.0.1:9", server.url]);
}, 300_000);
afterAll(async () => {
  await client.close();
  await server.kill();
  rmSync(folder, { recursive: true, force: true });
});

let lastQuery = 0;

function query(sql: string, rest: Partial<ServerQuery> = {}): ServerQuery {
  const [queryId, signal] = [`driver-${++lastQuery}`, new AbortController().signal];
  return { sql, params: {}, settings: {}, queryId, signal, ...rest };
}

async function textOf(asked: ServerQuery): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of await client.stream(asked)) parts.push(part);
  return Buffer.concat(parts).toString();
}

it("the client binds values unchanged, including those too long for a URL", async () => {
  const hostile = ["it's", "a\tb\nc\\N", "\\", "{x:String}", "\0", "ü€\u{1f600}", "'); DROP TABLE t; --"];
  for (const padding of ["", "x".repeat(100_000)]) {
    for (const text of hostile) {
      const value = `${text}${padding}`;
      const sql =
        "SELECT {x:String} AS x, {l:Array(String)} AS l, {n:Nullable(Int64)} AS n, {b:Array(Bool)}, {f:Nullable(Bool)}";
      const params = { x: value, l: [value, text], n: null, b: [true, false], f: true };
      expect(JSON.parse(await textOf(query(sql, { params })))).toEqual([
        value,
        [value, text],
        null,
        [true, false],
        true,
      ]);
    }
  }
});

it("the client inserts rows once for each token, and reads 64-bit integers exactly", async () => {
  await client.command(
    "CREATE TABLE written (n Int64, s Nullable(String)) ENGINE = MergeTree ORDER BY n SETTINGS non_replicated_deduplication_window = 9",
  );
  const body = Buffer.from('[9007199254740993,"x"]\n[-1,null]\n');
  const insert = {
    ...{ table: "written", columns: ["n", "s"], format: "JSONCompactEachRow", body: [body] },
    ...{ settings: { insert_deduplication_token: "t" }, signal: new AbortController().signal },
  };
  await client.insert(insert);
  await client.insert(insert);
  expect(await client.rows("SELECT n, s FROM written ORDER BY n")).toEqual([
    ["-1", null],
    ["9007199254740993", "x"],
  ]);
});

it("the client throws the contract's errors, before the first rows and after them", async () => {
  await expect(client.rows("SELECT throwIf(1, 'lw!too muchlw!')")).rejects.toMatchObject({
    code: "query_failed",
    message: "too much",
  });
  const late = query("SELECT throwIf(number = 3000000, 'lw!latelw!') FROM numbers(4000000)");
  let byteCount = 0;
  const reading = (async () => {
    for await (const part of await client.stream(late)) byteCount += part.length;
  })();
  await expect(reading).rejects.toMatchObject({ code: "query_failed", message: "late" });
  expect(byteCount).toBeGreaterThan(0);
  const limits = { settings: { max_execution_time: "0.2" } };
  const endless = query("SELECT count() FROM numbers(1000000000000) WHERE NOT ignore(sipHash64(number))", limits);
  await expect(client.stream(endless)).rejects.toMatchObject({ code: "timeout", limit: "timeoutMs" });
  await expect(open([server.url], "wrong").rows("SELECT 1")).rejects.toMatchObject({ code: "unavailable" });
  await expect(open(["http://127.0.0.1:9"]).ping(AbortSignal.timeout(5000))).rejects.toMatchObject({
    code: "unavailable",
  });
});

async function runningCount(): Promise<number> {
  const [[count] = []] = await client.rows(
    "SELECT count() FROM system.processes WHERE query LIKE '%1000000000001%' AND query NOT LIKE '%processes%'",
  );
  return Number(count);
}

const ENDLESS = "SELECT count() FROM numbers(1000000000001) WHERE NOT ignore(sipHash64(number))";

it("the client ends a query on the server when it is killed or aborted, before or between its rows", async () => {
  const killed = query(ENDLESS);
  const outcome = expect(client.stream(killed)).rejects.toMatchObject({ code: "unavailable" });
  await expect.poll(runningCount).toBe(1);
  await client.kill(killed.queryId);
  await outcome;

  const caller = new AbortController();
  const left = expect(client.stream(query(ENDLESS, { signal: caller.signal }))).rejects.toMatchObject({
    code: "aborted",
  });
  await expect.poll(runningCount).toBe(1);
  caller.abort();
  await left;
  await expect.poll(runningCount).toBe(0);

  const rows = await client.stream(query("SELECT number, 1000000000001 FROM numbers(1000000000000)"));
  const reader = rows[Symbol.asyncIterator]();
  await reader.next();
  await reader.return?.();
  await expect.poll(runningCount).toBe(0);
});
