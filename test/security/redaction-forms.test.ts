import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isWhole } from "../support/sample-size.ts";
import { insideProject, type SecurityService, startSecurityService } from "./security-service.ts";
import { personalTexts } from "./tables/personal-data.ts";

let folder: string;
let service: SecurityService;

const redacting = { "LF-ENDPOINT-REDACT-PII": "true" };
const raw = { "LF-ENDPOINT-REDACT-PII": "false" };
const parameters = "parameters:\n  project: { type: string, required: true }\n";
const allDetectors = "redact_pii: [ip, email, jwt, card, bearer, phone]\n";
const id = (last: number) => `00000000-0000-4000-8000-00000000000${last}`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logweir-redaction-"));
  const text = await readFile("endpoints/logs.all.sql", "utf8");
  const all = text.replace("redact_pii: false\n", allDetectors);
  await writeFile(join(folder, "logs.all.sql"), all);
  await writeFile(
    join(folder, "cached.sql"),
    all
      .replace(/^id: .*$/m, `id: ${id(1)}`)
      .replace(/^name: .*$/m, "name: cached")
      .replace("cache_seconds: 0", "cache_seconds: 300\nwarm_every_seconds: 100"),
  );
  await writeFile(
    join(folder, "inner.sql"),
    `/*---\nid: ${id(2)}\n${allDetectors}${parameters}---*/\nSELECT id, timestamp, event_message, metadata ` +
      "FROM edge WHERE project = @project\n",
  );
  await writeFile(
    join(folder, "outer.sql"),
    `/*---\nid: ${id(3)}\nsandbox: true\n---*/\nWITH t AS (SELECT * FROM \`inner\`) ` +
      "SELECT id, timestamp, event_message, REVERSE(event_message) AS back, metadata FROM t " +
      "ORDER BY timestamp DESC\n",
  );
  service = await startSecurityService({ queryTimeoutMs: 60_000, endpointsDir: folder });
  const texts = personalTexts.map(([each]) => each);
  await service.ingest(
    "edge",
    texts.map((each, index) => ({
      id: `e${index}`,
      timestamp: `2026-08-20T09:00:${String(index).padStart(2, "0")}Z`,
      project: insideProject,
      event_message: each,
      metadata: { value: each, list: [each, { deep: [each] }], request: { headers: { via: each } } },
    })),
  );
});

afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

/** Pieces found in a body, forwards or backwards. */
function piecesIn(body: Buffer): readonly string[] {
  const text = body.toString("latin1");
  return personalTexts
    .map(([, piece]) => piece)
    .filter((piece) => text.includes(piece) || text.includes([...piece].reverse().join("")));
}

/** A cursor is sealed: its characters are random, and contain any piece of three or four of them once in some hundred pages. */
function withoutCursor(link: string): string {
  return link.replace(/(?<=[?&]cursor=)[\w-]+/, "");
}

function pathOf(endpoint: string, more: Readonly<Record<string, string>> = {}): string {
  return `/api/endpoints/query/${endpoint}?${new URLSearchParams({ project: insideProject, ...more }).toString()}`;
}

const columns = "select id, timestamp, event_message, metadata from edge_logs";
const ways: readonly (readonly [name: string, endpoint: string, parameters: Readonly<Record<string, string>>])[] = [
  ["the endpoint's own query", "logs.all", {}],
  ["a version of it", "logs.all@1", {}],
  ["SQL", "logs.all", { sql: `${columns} order by timestamp desc` }],
  [
    "SQL that reverses",
    "logs.all",
    { sql: "select reverse(event_message), reverse(to_json_string(metadata)) from edge_logs" },
  ],
  [
    "SQL over elements",
    "logs.all",
    { sql: "select reverse(l) from edge_logs, unnest(metadata) m, unnest([m.value]) l" },
  ],
  [
    "SQL over JSON text",
    "logs.all",
    { sql: "select reverse(to_json_string(t)) v from edge_logs t group by v having v like '%' order by v" },
  ],
  ["LQL", "logs.all", { lql: "-nothing" }],
  ["LQL of a field", "logs.all", { lql: "s:m.value s:m.request.headers.via s:event_message" }],
  ["an endpoint that caches answers", "cached", {}],
  ["an endpoint that reads one which redacts", "outer", {}],
  [
    "SQL over an endpoint that reads one which redacts",
    "outer",
    { sql: "select reverse(event_message) v, metadata from t" },
  ],
];

/** Each way as JSON and in one of the other formats, in turns, and in all of them in the whole long suites. */
const others = ["ndjson", "csv", "arrow", "parquet"];
const combined = ways.map(([name, endpoint, more], turn) => ({
  ...{ name, endpoint, more },
  formats: ["json", ...others.filter((_, index) => isWhole || index === turn % others.length)],
}));

describe.each(combined)("$name", ({ endpoint, more, formats }) => {
  it.each(formats)("contains no personal data as %s", async (format) => {
    const { status, body } = await service.send("GET", pathOf(endpoint, { ...more, format }), redacting);
    expect(status).toBe(200);
    expect(piecesIn(body)).toEqual([]);
    expect(body.toString("latin1")).toMatch(/REDACTED|DETCADER/);
  });
});

it("every row format contains all personal data without redaction", async () => {
  for (const format of ["json", "ndjson", "csv", "arrow"]) {
    const { body } = await service.send("GET", pathOf("logs.all", { format }), raw);
    // JSON and CSV escape quotes and backslashes; no piece contains any.
    expect(piecesIn(body)).toHaveLength(personalTexts.length);
  }
});

it("no page contains personal data with redaction", async () => {
  let next: string | undefined = pathOf("logs.all", { limit: "5" });
  let pages = 0;
  while (next !== undefined) {
    const { status, headers, body } = await service.send("GET", next, redacting);
    expect(status).toBe(200);
    expect(piecesIn(body)).toEqual([]);
    const link: string = headers.get("link") ?? "";
    expect(piecesIn(Buffer.from(withoutCursor(link)))).toEqual([]);
    next = /<([^>]+)>/.exec(link)?.[1];
    pages++;
  }
  expect(pages).toBe(Math.ceil((personalTexts.length + 1) / 5));
});

it("a cursor of an unredacted answer is refused for a redacted call", async () => {
  const first = await service.send("GET", pathOf("logs.all", { limit: "5" }), raw);
  const next = /<([^>]+)>/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
  expect((await service.send("GET", next, raw)).status).toBe(200);
  const { status, body } = await service.send("GET", next, redacting);
  expect(status).toBe(400);
  expect(piecesIn(body)).toEqual([]);
});

it("SQL over redacted rows is not paginated, because redacted ids do not distinguish rows", async () => {
  const path = pathOf("logs.all", { sql: `${columns} order by timestamp desc`, limit: "5" });
  expect((await service.send("GET", path, raw)).headers.get("link")).toContain("cursor=");
  expect((await service.send("GET", path, redacting)).headers.get("link")).toBeNull();
});

it("cached answers are separated by redaction, including their entity tags and HEAD", async () => {
  const path = pathOf("cached", { sql: columns });
  const plain = await service.send("GET", path, raw);
  expect(piecesIn(plain.body).length).toBeGreaterThan(0);
  const tag = plain.headers.get("etag") ?? "";
  expect(tag).not.toBe("");
  const redacted = await service.send("GET", path, { ...redacting, "if-none-match": tag });
  expect(redacted.status).toBe(200);
  expect(redacted.headers.get("etag")).not.toBe(tag);
  expect(piecesIn(redacted.body)).toEqual([]);
  const again = await service.send("GET", path, redacting);
  expect(again.headers.get("etag")).toBe(redacted.headers.get("etag"));
  expect(piecesIn(again.body)).toEqual([]);
  const head = await service.send("HEAD", path, { ...redacting, "if-none-match": tag });
  expect(head.status).toBe(200);
  expect(head.headers.get("etag")).toBe(redacted.headers.get("etag"));
  expect((await service.send("GET", path, raw)).headers.get("etag")).toBe(tag);
});

it("error messages contain no personal data with redaction", async () => {
  const failing = [
    "select error(event_message) from edge_logs",
    "select cast(event_message as int64) from edge_logs",
    "select cast(metadata[0].value as timestamp) from edge_logs",
    "select parse_date('%F', event_message) from edge_logs",
    "select json_value(event_message, '$[') from edge_logs",
    "select parse_json(event_message) from edge_logs",
    "select regexp_contains('x', event_message || '(') from edge_logs",
    "select error(reverse(to_json_string(metadata))) from edge_logs",
    "select net.ip_from_string(event_message) from edge_logs",
    "select array[event_message][offset(1)] from edge_logs",
    "select cast(event_message as bytes format 'hex') from edge_logs",
    "select safe.substr(event_message, 1), error(format('%T', metadata)) from edge_logs",
  ];
  for (const sql of failing) {
    const { status, body } = await service.send("GET", pathOf("logs.all", { sql }), redacting);
    expect(status, sql).not.toBe(500);
    expect(piecesIn(body), sql).toEqual([]);
  }
});
