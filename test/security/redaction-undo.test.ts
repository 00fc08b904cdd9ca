import { afterAll, beforeAll, expect, it } from "vitest";
import { sampleOf } from "../support/sample-size.ts";
import { type Answer, insideProject, type SecurityService, startSecurityService } from "./security-service.ts";
import { undoAttempts } from "./tables/redaction-undo.ts";

let service: SecurityService;

beforeAll(async () => {
  service = await startSecurityService({ queryTimeoutMs: 20_000 });
  await service.ingest("edge", [
    {
      id: "r1",
      timestamp: "2026-08-20T09:00:00Z",
      project: insideProject,
      event_message: "client 203.0.113.9 mail ada@example.com card 4111 1111 1111 1111",
      metadata: { request: { headers: { ip: "2001:db8::7" } }, tags: ["10.1.2.3", "plain"], count: 7 },
    },
  ]);
});

afterAll(async () => {
  await service.stop();
});

const redacting = { "LF-ENDPOINT-REDACT-PII": "true" };
/** Pieces of redacted values, forwards, backwards and encoded. */
const pieces =
  /203\.0|113\.9|9\.311|0\.302|ada@|example\.com|moc\.elpmaxe|4111|1114|db8|8bd|10\.1\.2|3\.2\.1|3230332e|MjAzLj/i;

function cellsOf({ rows }: Answer): readonly (readonly unknown[])[] {
  return rows.map((row) => Object.values(row));
}

it("a query without redaction returns raw values", async () => {
  const sql = "select reverse(event_message) like '%9.311%', reverse(metadata[0].tags[offset(0)]) from edge_logs";
  expect(cellsOf(await service.ask({ sql }))).toEqual([[true, "3.2.1.01"]]);
});

it("no query can recover redacted values", async () => {
  const failures: string[] = [];
  for (const { name, sql, cells } of sampleOf(undoAttempts, 0.3)) {
    const answer = await service.ask({ sql }, redacting);
    const isRight = cells === undefined || JSON.stringify(cellsOf(answer)) === JSON.stringify(cells);
    // The caret line of a position quotes the query itself.
    const told = answer.status === 200 ? answer.text : answer.message;
    if (!isRight || pieces.test(told)) failures.push(`${name}: ${answer.status} ${answer.text.slice(0, 300)}`);
  }
  expect(failures).toEqual([]);
});

it("LQL reads redacted values too", async () => {
  expect((await service.ask({ lql: "203.0.113.9" }, redacting)).rows).toEqual([]);
  const found = await service.ask({ lql: "client" }, redacting);
  expect(found.rows).toHaveLength(1);
  expect(found.text).not.toMatch(pieces);
});

it("the saved query itself reads raw values", async () => {
  // The project is a text that a detector recognizes as an address.
  const project = "198.51.100.7";
  await service.ingest("edge", [
    { id: "p1", timestamp: "2026-08-20T09:00:00Z", project, event_message: `of ${project}` },
  ]);
  const own = await service.ask({ project }, redacting);
  expect(own.rows.map(({ id, event_message }) => [id, event_message])).toEqual([["p1", "of REDACTED"]]);
  const consumer = await service.ask(
    { project, sql: "select id, reverse(event_message) as v from edge_logs" },
    redacting,
  );
  expect(consumer.rows).toEqual([{ id: "p1", v: "DETCADER fo" }]);
});

it("redaction leaves values other than texts and the names of fields unchanged", async () => {
  const sql = "select metadata[0].count + 1 as n, id, unix_seconds(timestamp) as s from edge_logs";
  expect((await service.ask({ sql }, redacting)).rows).toEqual([{ n: 8, id: "r1", s: 1787216400 }]);
});
