/** The test server speaks the parts of ClickHouse's HTTP interface that the driver counts on. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ServerProcess, startServer } from "./start.ts";

const folder = mkdtempSync(join(tmpdir(), "logweir-clickhouse-"));
const users = ["CREATE USER reader IDENTIFIED BY 'secret'", "GRANT SELECT ON default.shown TO reader"];
let server: ServerProcess;

beforeAll(async () => {
  server = await startServer({ folder, users });
}, 300_000);
afterAll(async () => {
  await server.kill();
  rmSync(folder, { recursive: true, force: true });
});

interface Call {
  readonly search?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

function send(body: string | Buffer, { search = {}, headers = {}, signal }: Call = {}): Promise<Response> {
  const query = new URLSearchParams(search).toString();
  return fetch(`${server.url}/?${query}`, {
    method: "POST",
    body: typeof body === "string" ? body : new Uint8Array(body),
    headers,
    ...(signal && { signal }),
  });
}

async function textOf(body: string | Buffer, call: Call = {}): Promise<string> {
  const response = await send(body, call);
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.headers.get("X-ClickHouse-Exception-Code")} ${text}`);
  return text;
}

const asReader = { headers: { Authorization: `Basic ${Buffer.from("reader:secret").toString("base64")}` } };

it("the test server answers pings and queries with parameters, settings, formats and compression", async () => {
  expect(await (await fetch(`${server.url}/ping`)).text()).toBe("Ok.\n");
  const search = { param_x: "it's\\ta \\\\", max_threads: "3", enable_http_compression: "1" };
  const sql = "SELECT {x:String} AS x, getSetting('max_threads') AS n FORMAT JSONEachRow";
  const response = await send(sql, { search, headers: { "Accept-Encoding": "gzip" } });
  expect(response.headers.get("Content-Encoding")).toBe("gzip");
  expect(await response.json()).toEqual({ x: "it's\ta \\", n: 3 });
});

it("the test server stores an insert once per token, compressed or not, and retains it when killed", async () => {
  await textOf(
    "CREATE TABLE kept (n Int64) ENGINE = MergeTree ORDER BY n SETTINGS non_replicated_deduplication_window = 10",
  );
  const query = "INSERT INTO kept (n) SETTINGS insert_deduplication_token = 'a' FORMAT JSONEachRow";
  await textOf('{"n":1}\n{"n":2}', { search: { query } });
  const headers = { "Content-Encoding": "gzip" };
  await textOf(gzipSync('{"n":1}\n{"n":2}'), { search: { query }, headers });
  expect(await textOf("SELECT count() FROM kept")).toBe("2\n");
  // Bytes that look like the end of a text.
  const binary = Buffer.concat([Buffer.from([10, 10, 0, 0, 0, 0, 0, 0]), Buffer.alloc(8, 10)]);
  await textOf("CREATE TABLE binary (n Int64) ENGINE = MergeTree ORDER BY n");
  await textOf(binary, { search: { query: "INSERT INTO binary (n) FORMAT RowBinary" } });
  expect(await textOf("SELECT n FROM binary")).toBe("2570\n723401728380766730\n");
  await server.kill();
  server = await startServer({ folder, users });
  expect(await textOf("SELECT sum(n) FROM kept")).toBe("3\n");
});

it("the test server allows a user only what was granted, and refuses a wrong password", async () => {
  await textOf("CREATE TABLE shown (n Int64) ENGINE = MergeTree ORDER BY n");
  await textOf("CREATE TABLE hidden (n Int64) ENGINE = MergeTree ORDER BY n");
  expect(await textOf("SELECT count() FROM shown", asReader)).toBe("0\n");
  const denied = ["SELECT * FROM hidden", "CREATE TABLE t (n Int8) ENGINE = Memory", "SELECT * FROM url('http://h/')"];
  for (const sql of denied) await expect(textOf(sql, asReader)).rejects.toThrow(/^497 /);
  const wrong = { headers: { Authorization: `Basic ${Buffer.from("reader:other").toString("base64")}` } };
  await expect(textOf("SELECT 1", wrong)).rejects.toThrow(/^516 /);
});

it("the test server reports errors by status and code before the first rows, and in the body after them", async () => {
  await expect(textOf("SELECT throwIf(1)")).rejects.toThrow(/^395 Code: 395\. DB::Exception: .*\(FUNCTION_THROW_IF/);
  const response = await send("SELECT throwIf(number = 900000) FROM numbers(1000000) FORMAT JSONEachRow");
  expect(response.status).toBe(200);
  const tag = response.headers.get("X-ClickHouse-Exception-Tag") ?? "";
  let text = "";
  const read = async () => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk as Uint8Array).toString();
  };
  await expect(read()).rejects.toThrow();
  expect(text).toContain(`\r\n__exception__\r\n${tag}\r\nCode: 395`);
});

const ENDLESS = "SELECT count() FROM numbers(1000000000000) WHERE NOT ignore(sipHash64(number))";

const runningCount = () =>
  textOf(
    "SELECT count() FROM system.processes WHERE query LIKE '%numbers(1000000000000)%' AND query NOT LIKE '%processes%'",
  );

it("the test server stops a query that is killed by id or whose reader disconnects", async () => {
  const killed = textOf(ENDLESS, { search: { query_id: "one" } });
  const outcome = expect(killed).rejects.toThrow(/^394 /);
  await expect.poll(runningCount).toBe("1\n");
  await textOf("KILL QUERY WHERE query_id = 'one' ASYNC");
  await outcome;
  const reader = new AbortController();
  const search = { query_id: "two", cancel_http_readonly_queries_on_client_close: "1" };
  const left = textOf(ENDLESS, { search, signal: reader.signal });
  await expect.poll(runningCount).toBe("1\n");
  reader.abort();
  await expect(left).rejects.toThrow();
  await expect.poll(runningCount).toBe("0\n");
});
