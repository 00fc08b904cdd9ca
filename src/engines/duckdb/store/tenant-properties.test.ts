import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { sampleOf, sampleSize } from "../../../../test/support/sample-size.ts";
import { parseQuery } from "../../../googlesql/parse.ts";
import { resolveQuery } from "../../../googlesql/resolve.ts";
import { BOOL, FLOAT64, INT64, type SqlType, STRING } from "../../../googlesql/types.ts";
import { MadeIds } from "../../../ingest/made-ids.ts";
import { normaliseEvent } from "../../../ingest/normalise-event.ts";
import type { LogEvent, SourceDefinition } from "../../contract/query-engine.ts";
import { defaultStoreLimits } from "../../schema/source/store-limits.ts";
import { compileQuery } from "../compile/compile.ts";
import { openCore } from "../host/core.ts";
import type { EngineHost } from "../host/protocol.ts";
import { runQuery } from "../run-query.ts";
import { DuckDbStore } from "./store.ts";

const signal = new AbortController().signal;
const definition: SourceDefinition = {
  name: "edge",
  tenantField: "project",
  knownFields: [
    { path: "project", type: STRING },
    { path: "n", type: INT64 },
    { path: "metadata.path", type: STRING },
    { path: "metadata.status", type: INT64 },
    { path: "metadata.sub.rate", type: FLOAT64 },
    { path: "metadata.sub.ok", type: BOOL },
  ],
};

/** A store that is reopened with fewer columns than its events need, and compacts continuously. */
class Subject {
  readonly #directory = mkdtempSync(join(tmpdir(), "logweir-alone-"));
  readonly #maxTenantColumns: number;
  #host: EngineHost | undefined;
  store: DuckDbStore | undefined;

  constructor(maxTenantColumns: number) {
    this.#maxTenantColumns = maxTenantColumns;
  }

  async open(): Promise<void> {
    await this.#host?.close();
    const { host, sources } = await openCore(
      {
        directory: this.#directory,
        threads: 1,
        memoryLimitBytes: 256 * 1024 ** 2,
        checkpointBytes: 64 * 1024,
        compaction: { minRows: 5, maxRows: 5000 },
      },
      { onFatal: () => undefined, onProblem: () => undefined },
    );
    const schema = { ...defaultStoreLimits.schema, maxTenantColumns: this.#maxTenantColumns, maxTenantFields: 60 };
    this.#host = host;
    this.store = new DuckDbStore(() => host, { limits: { ...defaultStoreLimits, schema } });
    this.store.load({ sources });
    await this.store.ensureSource(definition);
  }

  async close(): Promise<void> {
    await this.#host?.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  maintain = () => this.#host?.maintain();

  append(events: readonly LogEvent[]) {
    return this.store?.append("edge", events, signal);
  }

  async ask(text: string, tenant: string): Promise<unknown> {
    const [store, host] = [this.store, this.#host];
    if (store === undefined || host === undefined) return undefined;
    try {
      const tables = { findTable: (name: string) => store.describe(name, tenant), tableNames: () => ["edge"] };
      const resolved = resolveQuery(parseQuery(text), text, { tables, parameters: new Map() });
      const query = compileQuery(resolved, store.layoutOf, { text });
      const limits = { timeoutMs: 60_000, maxRows: 10_000, maxResultBytes: 1e8 };
      const { batches } = await runQuery(host, { query, values: [], encoding: "objects", limits, signal });
      const rows: unknown[] = [];
      for await (const { json } of batches) rows.push(...(JSON.parse(`[${json}]`) as unknown[]));
      return rows;
    } catch (error) {
      return String(error);
    }
  }
}

const name = fc.constantFrom(
  "n",
  "N",
  "path",
  "status",
  "Status",
  "sub",
  "Sub",
  "a",
  "A",
  "b",
  "c.d",
  "rate",
  "ok",
  "x1",
  "x2",
  "x3",
);
const scalar = fc.oneof(
  fc.integer({ min: -5, max: 300 }),
  fc.constantFrom<unknown>(
    1.5,
    -0.25,
    1e300,
    9007199254740993n,
    2n ** 70n,
    true,
    false,
    "200",
    "text",
    "1.5",
    "true",
    'ü\n"',
    " 7 ",
  ),
);
const value: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { weight: 6, arbitrary: scalar },
    { weight: 1, arbitrary: fc.array(scalar, { minLength: 1, maxLength: 3 }) },
    { weight: 2, arbitrary: fc.dictionary(name, tie("value"), { minKeys: 1, maxKeys: 3 }) },
    {
      weight: 1,
      arbitrary: fc.array(fc.dictionary(name, tie("value"), { minKeys: 1, maxKeys: 2 }), {
        minLength: 1,
        maxLength: 2,
      }),
    },
  ),
})).value;
const fields = fc.dictionary(
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom("metadata", "Metadata") },
    { weight: 2, arbitrary: name },
    { weight: 1, arbitrary: fc.constantFrom("Timestamp", "ID", "Message", "Project") },
  ),
  fc.oneof(
    { weight: 2, arbitrary: value },
    { weight: 3, arbitrary: fc.dictionary(name, value, { minKeys: 1, maxKeys: 4 }) },
  ),
  { maxKeys: 5 },
);
const batch = fc.array(fc.record({ isOwn: fc.boolean(), id: fc.integer({ min: 0, max: 400 }), fields }), {
  minLength: 1,
  maxLength: 6,
});

function queriesOf(store: DuckDbStore | undefined): string[] {
  const from = "FROM edge WHERE project = 'aaa'";
  const queries = [
    `SELECT * ${from} ORDER BY id`,
    `SELECT * EXCEPT (timestamp) ${from} ORDER BY timestamp DESC, id LIMIT 5`,
  ];
  const visit = (path: string, type: SqlType) => {
    const record = type.kind === "ARRAY" ? type.element : type;
    if (record.kind === "RECORD") for (const field of record.fields) visit(`${path}.${field.name}`, field.type);
    queries.push(`SELECT id, ${path} AS v ${from} ORDER BY id`);
    if (record.kind !== "RECORD" && type.kind !== "ARRAY")
      queries.push(`SELECT COUNT(${path}) AS c, MAX(${path}) AS m ${from}`);
  };
  for (const column of store?.describe("edge", "aaa")?.columns ?? []) visit(column.name, column.type);
  return queries;
}

describe("a tenant in a shared source", () => {
  const subjects: Subject[] = [];
  afterAll(async () => {
    for (const subject of subjects) await subject.close();
  });

  it.each(sampleOf([1000, 6], 0.5))(
    "sees what it would see alone, with %d columns, across compactions and restarts",
    async (columns) => {
      const [alone, both] = [new Subject(columns), new Subject(columns)];
      subjects.push(alone, both);
      await alone.open();
      await both.open();
      let sent = 0;
      let round = 0;
      const toEvent = (isOwn: boolean, id: number, raw: object): LogEvent => {
        const project = isOwn ? "aaa" : "bbb";
        const { project: _, ...others } = raw as { project?: unknown };
        const limits = { maxDepth: 64, maxValues: 5000 };
        const normalising = { nowUs: BigInt(++sent), limits, tally: { untimed: 0 }, ids: new MadeIds() };
        const event = normaliseEvent({ ...others, project }, 0, normalising);
        return { ...event, id: `e${id}`, hasGeneratedId: false, timestampUs: BigInt(id) };
      };
      await fc.assert(
        fc.asyncProperty(batch, async (raw) => {
          const events = raw.map(({ isOwn, id, fields: some }) => toEvent(isOwn, id, some));
          const own = events.filter((_, index) => raw[index]?.isOwn === true);
          const [a, b] = [own.length === 0 ? undefined : await alone.append(own), await both.append(events)];
          if (own.length === events.length) expect(b).toEqual(a);
          if (++round % 9 === 0) await Promise.all([alone.maintain(), both.maintain()]);
          if (round % 14 === 0) {
            await alone.open();
            await both.open();
          }
          expect(both.store?.describe("edge", "aaa")).toEqual(alone.store?.describe("edge", "aaa"));
          if (round % 3 !== 0) return;
          for (const text of queriesOf(alone.store)) {
            expect([text, await both.ask(text, "aaa")]).toEqual([text, await alone.ask(text, "aaa")]);
          }
        }),
        { numRuns: sampleSize(2, 40), endOnFailure: true },
      );
    },
    120_000,
  );
});
