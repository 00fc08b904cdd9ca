import { tableFromIPC } from "@uwdata/flechette";
import { parquetReadObjects } from "hyparquet";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { privateToken, readError, type Service, startService } from "./service.ts";

const path = "/api/endpoints/query/logs.all";
const auth = { "x-api-key": privateToken };
/** Runs until it is stopped. */
const endless =
  "select count(*) as n from unnest(generate_array(1, 100000)) a cross join unnest(generate_array(1, 100000)) " +
  "b cross join unnest(generate_array(1, 1000)) c where mod(a * b + c, 7) = 8";

let service: Service;

beforeAll(async () => {
  service = await startService({ env: { LOGWEIR_MAX_QUEUED_QUERIES: "200" } });
  const events = Array.from({ length: 250 }, (_, index) => ({
    id: `a${String(index).padStart(3, "0")}`,
    // Ten of each timestamp.
    timestamp: new Date(Date.parse("2026-08-20T09:00:00Z") + Math.floor(index / 10) * 1_000).toISOString(),
    event_message: index % 2 === 0 ? `line "${index}", of many` : `line\n${index}`,
    project: "pages",
    metadata: { request: { method: "GET", n: index } },
  }));
  await service.ingest("edge", events);
});

afterAll(async () => {
  await service.stop();
});

describe("the response headers", () => {
  it("report the time of each phase, the headers the response varies by, and how recent its data is", async () => {
    const response = await service.get(path, { project: "pages" });
    await response.arrayBuffer();
    const timing = response.headers.get("server-timing") ?? "";
    for (const phase of ["auth", "parse", "queue", "engine", "encode"])
      expect(timing).toMatch(new RegExp(`${phase};dur=[0-9.]+`));
    const varying = "Accept, Accept-Encoding, LF-ENDPOINT-REDACT-PII, X-API-KEY, Authorization";
    expect(response.headers.get("vary")).toBe(varying);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("x-logweir-data-through")).toBe("2026-08-20T09:00:24.000000Z");
    expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("report the time on errors and cached responses too", async () => {
    const refused = await service.get(path, {}, { "x-api-key": "nonsense" });
    expect([refused.status, refused.headers.get("server-timing")]).toEqual([401, expect.stringMatching(/^auth;dur=/)]);
    const counts = { project: "pages", interval: "daily" };
    const miss = await service.get("/api/endpoints/query/usage.api-counts", counts);
    const hit = await service.get("/api/endpoints/query/usage.api-counts", counts);
    expect(miss.headers.get("server-timing")).toMatch(/engine;dur=/);
    expect(hit.headers.get("server-timing")).toMatch(/^auth;dur=/);
    expect(hit.headers.get("server-timing")).not.toMatch(/engine/);
    expect(hit.headers.get("x-logweir-data-through")).toBe("2026-08-20T09:00:24.000000Z");
  });

  it("of HEAD equal those of GET, and HEAD has no body", async () => {
    const url = `${service.url}${path}?project=pages`;
    // `fetch` decompresses, so only uncompressed sizes can be compared.
    const headers = { ...auth, "accept-encoding": "identity" };
    const [get, head] = [await fetch(url, { headers }), await fetch(url, { method: "HEAD", headers })];
    const size = (await get.arrayBuffer()).byteLength;
    expect([head.status, Number(head.headers.get("content-length")), (await head.arrayBuffer()).byteLength]).toEqual([
      200,
      size,
      0,
    ]);
    for (const name of ["content-type", "vary", "cache-control", "x-logweir-data-through"]) {
      expect(head.headers.get(name)).toBe(get.headers.get(name));
    }
    expect((await fetch(url, { method: "OPTIONS" })).status).toBe(204);
  });
});

describe("the response format", () => {
  const sql = "select id, timestamp, event_message, metadata from edge_logs order by id limit 3";
  const read = async (format: string) => {
    const response = await service.get(path, { project: "pages", sql, format });
    return { type: response.headers.get("content-type"), bytes: await response.arrayBuffer() };
  };
  const us = Date.parse("2026-08-20T09:00:00Z") * 1000;
  const metadata = (n: number) => `[{"request":[{"method":"GET","n":${n}}]}]`;

  it("can be NDJSON", async () => {
    const { type, bytes } = await read("ndjson");
    const lines = new TextDecoder().decode(bytes).split("\n");
    expect(type).toBe("application/x-ndjson; charset=utf-8");
    expect(lines.slice(0, 3).map((line) => JSON.parse(line) as unknown)).toEqual(
      await service.rows("logs.all", { project: "pages", sql }),
    );
    expect(lines).toHaveLength(4);
  });

  it("can be CSV", async () => {
    const { type, bytes } = await read("csv");
    const nested = (n: number) => `"${metadata(n).replaceAll('"', '""')}"`;
    expect(type).toMatch(/^text\/csv/);
    expect(new TextDecoder().decode(bytes)).toBe(
      `id,timestamp,event_message,metadata\r\na000,${us},"line ""0"", of ` +
        `many",${nested(0)}\r\na001,${us},"line\n1",${nested(1)}\r\na002,${us},"line ""2"", of ` +
        `many",${nested(2)}\r\n`,
    );
  });

  it("can be Parquet", async () => {
    const { type, bytes } = await read("parquet");
    expect(type).toBe("application/vnd.apache.parquet");
    const [row] = await parquetReadObjects({ file: bytes });
    expect(row).toEqual({
      id: "a000",
      timestamp: new Date(us / 1000),
      event_message: 'line "0", of many',
      metadata: metadata(0),
    });
  });

  it("can be Arrow", async () => {
    const { type, bytes } = await read("arrow");
    expect(type).toBe("application/vnd.apache.arrow.stream");
    const rows = tableFromIPC(bytes).toArray() as readonly Record<string, unknown>[];
    expect(rows.map(({ id, timestamp }) => [id, timestamp])).toEqual(
      ["a000", "a001", "a002"].map((id) => [id, us / 1000]),
    );
  });

  it("follows Accept; an unknown format is answered with 406 in Accept and 400 in the parameter", async () => {
    const ask = (accept: string) => service.get(path, { project: "pages", sql }, { ...auth, accept });
    expect((await ask("text/csv")).headers.get("content-type")).toMatch(/^text\/csv/);
    expect((await readError(await ask("image/png"))).code).toBe("not_acceptable");
    const named = await readError(await service.get(path, { project: "pages", format: "xml" }));
    expect(named).toMatchObject({
      status: 400,
      parameter: "format",
      allowed: ["json", "ndjson", "csv", "parquet", "arrow"],
    });
  });

  it("of a cached response has an entity tag of its own", async () => {
    const counts = { project: "pages", interval: "daily" };
    const tags = await Promise.all(
      ["json", "csv", "ndjson"].map(async (format) => {
        const response = await service.get("/api/endpoints/query/usage.api-counts", { ...counts, format });
        return response.headers.get("etag");
      }),
    );
    expect(new Set(tags).size).toBe(3);
    const again = await service.get(
      "/api/endpoints/query/usage.api-counts",
      { ...counts, format: "csv" },
      { ...auth, "if-none-match": String(tags[1]) },
    );
    expect(again.status).toBe(304);
  });
});

describe("pagination", () => {
  it("returns every row once when following links, despite equal timestamps and rows that arrive meanwhile", async () => {
    const ids: string[] = [];
    let url: URL | undefined = new URL(`${path}?project=pages&limit=7`, service.url);
    for (let page = 0; url !== undefined && page < 100; page++) {
      const response: Response = await fetch(url, { headers: auth });
      const { result } = (await response.json()) as { result: { id: string }[] };
      ids.push(...result.map(({ id }) => id));
      const link: string | undefined = /^<([^>]+)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1];
      url = link === undefined ? undefined : new URL(link, service.url);
      if (page === 2)
        await service.ingest("edge", [{ id: "late", timestamp: "2026-08-20T10:00:00Z", project: "pages" }]);
    }
    expect(ids).toHaveLength(250);
    expect([...ids].sort()).toEqual(Array.from({ length: 250 }, (_, index) => `a${String(index).padStart(3, "0")}`));
  });

  it("refuses a cursor that belongs to another call", async () => {
    const first = await service.get(path, { project: "pages", limit: "7" });
    const cursor = new URL(/^<([^>]+)>/.exec(first.headers.get("link") ?? "")?.[1] ?? "", service.url).searchParams.get(
      "cursor",
    );
    for (const other of [
      { project: "else" },
      { project: "pages", sql: "select id from edge_logs" },
      { project: "pages", limit: "8" },
    ]) {
      const response = await service.get(path, { limit: "7", ...other, cursor: String(cursor) });
      expect(await readError(response)).toMatchObject({ status: 400, parameter: "cursor" });
    }
  });
});

describe("a long-running query", () => {
  it("is cancelled when the wait that the caller asked for is over", async () => {
    const response = await service.get(
      path,
      { project: "pages", sql: endless },
      { ...auth, prefer: "respond-async, wait=1" },
    );
    expect((await readError(response)).code).toBe("timeout");
    expect(response.headers.get("preference-applied")).toBe("wait=1");
  });

  it("is cancelled when its caller disconnects, and a hundred such callers leave none running", async () => {
    const gone = new AbortController();
    const calls = Array.from({ length: 100 }, () => {
      const url = `${service.url}${path}?${new URLSearchParams({ project: "pages", sql: endless })}`;
      return fetch(url, { headers: auth, signal: gone.signal }).catch(() => undefined);
    });
    const load = async () => {
      const text = await (await service.get("/metrics")).text();
      const [running, waiting] = ["running", "waiting"].map((name) =>
        Number(new RegExp(`^logweir_queries_${name} (\\d+)$`, "m").exec(text)?.[1]),
      );
      return { running, waiting };
    };
    await expect.poll(load).toEqual({ running: 6, waiting: 94 });
    gone.abort();
    await expect.poll(load).toEqual({ running: 0, waiting: 0 });
    await Promise.all(calls);
    // The engine accepts queries again too.
    expect(
      await service.rows("logs.all", { project: "pages", sql: "select count(*) as n from edge_logs" }),
    ).toHaveLength(1);
  });
});
