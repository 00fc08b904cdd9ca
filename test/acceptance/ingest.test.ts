import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { micros, postEvents, privateToken, readError, type ServiceProcess, startServiceProcess } from "./service.ts";

let service: ServiceProcess;

beforeAll(async () => {
  service = await startServiceProcess();
});

afterAll(async () => {
  await service.stop();
});

const stored = async (project: string, columns = "id") =>
  service.rows("logs.all", { project, sql: `select ${columns} from edge_logs order by id` });

describe("ingest paths and source names", () => {
  it.each(["/api/logs", "/logs", "/api/events"])("POST %s stores events", async (path) => {
    const project = `path${path.replaceAll("/", "-")}`;
    const response = await fetch(`${service.url}${path}?source_name=cloudflare.logs.prod`, {
      method: "POST",
      headers: { "x-api-key": privateToken, "content-type": "application/json" },
      body: JSON.stringify([{ id: project, project }]),
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ message: "Logged!", accepted: 1 });
    expect(await stored(project)).toEqual([{ id: project }]);
  });

  it("the parameter source works like source_name", async () => {
    const response = await fetch(`${service.url}/api/logs?source=edge`, {
      method: "POST",
      headers: { "x-api-key": privateToken, "content-type": "application/json" },
      body: JSON.stringify({ id: "s1", project: "by-source" }),
    });
    expect(response.status).toBe(200);
    expect(await stored("by-source")).toEqual([{ id: "s1" }]);
  });

  it("an unknown source is refused by name", async () => {
    const response = await postEvents(service.url, "nowhere", "[]");
    expect(response.status).toBe(404);
    expect((await readError(response)).message).toContain("nowhere");
  });

  it("a missing source is refused with the name of the parameter", async () => {
    const response = await fetch(`${service.url}/api/logs`, {
      method: "POST",
      headers: { "x-api-key": privateToken },
      body: "{}",
    });
    expect(response.status).toBe(400);
    expect((await readError(response)).message).toContain("source_name");
  });

  it("a wrong token is answered with 401", async () => {
    const response = await postEvents(service.url, "edge", "[]", { "x-api-key": "wrong" });
    expect(response.status).toBe(401);
  });
});

describe("a request body", () => {
  it.each([
    ["an object", JSON.stringify({ id: "b1", project: "form-object" }), "application/json", "form-object", 1],
    [
      "an array",
      JSON.stringify([
        { id: "b1", project: "form-array" },
        { id: "b2", project: "form-array" },
      ]),
      "application/json",
      "form-array",
      2,
    ],
    ["a batch", JSON.stringify({ batch: [{ id: "b1", project: "form-batch" }] }), "application/json", "form-batch", 1],
    [
      "NDJSON",
      '{"id":"b1","project":"form-lines"}\n{"id":"b2","project":"form-lines"}\n',
      "application/x-ndjson",
      "form-lines",
      2,
    ],
  ])("can be %s", async (_, body, contentType, project, count) => {
    const response = await postEvents(service.url, "edge", body, { "content-type": contentType });
    expect(await response.json()).toEqual({ message: "Logged!", accepted: count });
    // An id is stored once per source: another form may have stored it already.
    const rows = await service.rows("logs.all", { project, sql: "select count(*) as n from edge_logs" });
    expect(Number(rows[0]?.n)).toBeLessThanOrEqual(count);
  });

  const encodings: readonly [string, (bytes: Buffer) => Buffer<ArrayBuffer>][] = [
    ["gzip", gzipSync],
    // By default it takes seconds for the longest.
    ["br", (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ["deflate", deflateSync],
  ];

  it.each(encodings)("can be compressed with %s", async (encoding, compress) => {
    const body = compress(Buffer.from(JSON.stringify([{ id: `z-${encoding}`, project: `zip-${encoding}` }])));
    const response = await postEvents(service.url, "edge", body, { "content-encoding": encoding });
    expect(response.status).toBe(200);
    expect(await stored(`zip-${encoding}`)).toEqual([{ id: `z-${encoding}` }]);
  });

  it.each(encodings)(
    "compressed with %s may be long, up to the limit after decompression",
    async (encoding, compress) => {
      const text = "x".repeat(10_000);
      const eventsOf = (count: number) =>
        compress(
          Buffer.from(JSON.stringify(Array.from({ length: count }, (_, n) => ({ text, n, project: encoding })))),
        );
      // The longest that is stored is one for all encodings: where it is read, it is a plain text again.
      for (const [count, status] of [
        [8, 200],
        [150, 200],
        [1_100, 200],
        [1_300, 413],
      ] as const) {
        if (count === 1_100 && encoding !== "gzip") continue;
        const response = await postEvents(service.url, "edge", eventsOf(count), { "content-encoding": encoding });
        expect([count, response.status]).toEqual([count, status]);
      }
    },
  );

  it.each([
    ["{", 400],
    ["1", 400],
  ])("that is %s is refused", async (body, status) => {
    const response = await postEvents(service.url, "edge", body);
    expect(response.status).toBe(status);
    await readError(response);
  });

  it("of more than 12 MB is answered with 413", async () => {
    const response = await postEvents(service.url, "edge", JSON.stringify([{ event_message: "x".repeat(12_100_000) }]));
    expect(response.status).toBe(413);
    await readError(response);
  });
});

describe("events", () => {
  it("that cannot be stored are reported by index while the others are stored", async () => {
    const body = JSON.stringify([{ id: "ok1", project: "partial" }, 7, { id: "ok2", project: "partial" }, null]);
    const response = await postEvents(service.url, "edge", body);
    expect(response.status).toBe(422);
    const answer = (await response.json()) as {
      accepted: number;
      rejected: { index: number; reason: string }[];
      message: string;
    };
    expect(answer.accepted).toBe(2);
    expect(answer.rejected.map(({ index }) => index)).toEqual([1, 3]);
    expect(answer.rejected.every(({ reason }) => reason.length > 5)).toBe(true);
    expect(await stored("partial")).toEqual([{ id: "ok1" }, { id: "ok2" }]);
  });

  it("with the same id are stored once, within one request and across several", async () => {
    const event = { id: "twice", project: "repeat", timestamp: "2026-08-20T09:00:00Z" };
    await service.ingest("edge", [event, event]);
    await service.ingest("edge", [event]);
    expect(await stored("repeat")).toEqual([{ id: "twice" }]);
    await service.ingest("db", [event]);
    expect(await service.rows("logs.all", { project: "repeat", sql: "select id from db_logs" })).toEqual([
      { id: "twice" },
    ]);
  });

  it("with a timestamp in the future are stored", async () => {
    const timestamp = new Date(Date.now() + 3 * 3_600_000).toISOString();
    const response = await postEvents(
      service.url,
      "edge",
      JSON.stringify([{ id: "future", project: "future", timestamp }]),
    );
    expect(await response.json()).toEqual({ message: "Logged!", accepted: 1 });
    expect(await stored("future")).toEqual([{ id: "future" }]);
  });

  it("keep their timestamp to the microsecond, and get the server's time when theirs is not readable", async () => {
    const before = Date.now() * 1000;
    await service.ingest("edge", [
      { id: "t1", project: "times", timestamp: "2026-08-20T09:00:00.123456Z" },
      { id: "t2", project: "times", timestamp: 1_787_216_400_123_456 },
      { id: "t3", project: "times", timestamp: "nonsense" },
    ]);
    const rows = await stored("times", "id, timestamp");
    expect(rows[0]?.timestamp).toBe(micros("2026-08-20T09:00:00.123456"));
    expect(rows[1]?.timestamp).toBe(1_787_216_400_123_456);
    expect(Number(rows[2]?.timestamp)).toBeGreaterThanOrEqual(before);
  });

  it("keep every value of a field whose type changes", async () => {
    await service.ingest("edge", [
      { id: "v1", project: "types", metadata: { status: 200 } },
      { id: "v2", project: "types", metadata: { status: "200" } },
      { id: "v3", project: "types", metadata: { status: "abc" } },
      { id: "v4", project: "types", metadata: { status: 1.5 } },
    ]);
    const rows = await service.rows("logs.all", {
      project: "types",
      sql: "select id from edge_logs cross join unnest(metadata) m where m.status = 200 order by id",
    });
    expect(rows).toEqual([{ id: "v1" }, { id: "v2" }]);
    const all = await service.rows("logs.all", { project: "types", sql: "select metadata from edge_logs order by id" });
    expect(all.map((row) => row.metadata)).toEqual([
      [{ status: 200 }],
      [{ status: "200" }],
      [{ status: "abc" }],
      [{ status: 1.5 }],
    ]);
  });

  it("keep Unicode, long texts and large integers intact", async () => {
    const text = `ü😀\u0001"\\ ${"long ".repeat(20_000)}`;
    const body = `[{"id":"u1","project":"unicode","event_message":${JSON.stringify(text)},"metadata":{"n":9007199254740993}}]`;
    expect((await postEvents(service.url, "edge", body)).status).toBe(200);
    const response = await service.get("/api/endpoints/query/logs.all", { project: "unicode" });
    const answer = await response.text();
    expect(answer).toContain("9007199254740993");
    expect((JSON.parse(answer) as { result: { event_message: string }[] }).result[0]?.event_message).toBe(text);
  });
});

describe("events without a project", () => {
  it("are stored, counted in the source's statistics and logged with the name of the missing field", async () => {
    const statistics = async () => {
      const all = (await (await service.get("/api/statistics/sources")).json()) as {
        sources: { source: string; without_tenant: number }[];
      };
      return all.sources.find(({ source }) => source === "pooler")?.without_tenant;
    };
    const before = (await statistics()) ?? 0;
    await service.ingest("pooler", [
      { event_message: "a" },
      { event_message: "b", project: "abc" },
      { event_message: "c" },
    ]);
    expect(await statistics()).toBe(before + 2);
    await expect.poll(() => service.output()).toMatch(/events? came to pooler without project: queries of one project/);
  });
});
