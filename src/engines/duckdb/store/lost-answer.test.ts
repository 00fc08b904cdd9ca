import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { observeStatements } from "../../../../test/support/engines/duckdb/store/observe-statements.ts";
import { parseQuery } from "../../../googlesql/parse.ts";
import { resolveQuery } from "../../../googlesql/resolve.ts";
import { formatType, STRING } from "../../../googlesql/types.ts";
import type { LogEvent, SourceDefinition } from "../../contract/query-engine.ts";
import { defaultStoreLimits } from "../../schema/source/store-limits.ts";
import { compileQuery } from "../compile/compile.ts";
import { openCore } from "../host/core.ts";
import type { CoreOptions, EngineHost } from "../host/protocol.ts";
import { commitGroup } from "../host/store/group-commit.ts";
import { openStoreFile, readSources } from "../host/store/store-file.ts";
import { createStoredSource } from "../host/store/stored-source.ts";
import { runQuery } from "../run-query.ts";
import { DuckDbStore } from "./store.ts";

const signal = new AbortController().signal;
const hooks = { onFatal: () => expect.unreachable(), onProblem: () => undefined };
const definition: SourceDefinition = {
  name: "edge",
  tenantField: "project",
  knownFields: [{ path: "project", type: STRING }],
};

function makeEvents(from: number): LogEvent[] {
  return [0, 1, 2].map((n) => ({
    id: `id ${from + n}`,
    hasGeneratedId: false,
    timestampUs: BigInt(from + n),
    eventMessage: null,
    fields: { project: `p${n}`, metadata: { [`f${n}`]: from + n } },
  }));
}

type Append = Parameters<EngineHost["append"]>;

/** The store in a folder; with `holds`, appends are held back instead of stored. */
async function openStore(options: CoreOptions, holds?: Append[]) {
  const { host, sources } = await openCore(options, hooks);
  const bound = { createSources: host.createSources, defineSource: host.defineSource, addEntries: host.addEntries };
  const methods = Object.fromEntries(Object.entries(bound).map(([name, method]) => [name, method.bind(host)]));
  const append: EngineHost["append"] = async (...call) => {
    if (holds === undefined) return host.append(...call);
    holds.push(call);
    return { stored: 0, repeated: 0 };
  };
  const store = new DuckDbStore(() => ({ ...methods, append }) as EngineHost, { limits: defaultStoreLimits });
  store.load({ sources });
  await store.ensureSource(definition);
  const ask = async (text: string): Promise<unknown[]> => {
    const tables = { findTable: (name: string) => store.describe(name), tableNames: () => ["edge"] };
    const query = compileQuery(resolveQuery(parseQuery(text), text, { tables }), store.layoutOf, { text });
    const limits = { timeoutMs: 60_000, maxRows: 1000, maxResultBytes: 1_000_000 };
    const { batches } = await runQuery(host, { query, values: [], encoding: "cells", limits, signal });
    const rows: unknown[] = [];
    for await (const { json } of batches) rows.push(...(JSON.parse(`[${json}]`) as unknown[]));
    return rows;
  };
  return { host, store, ask };
}

describe("an append whose answer is lost", () => {
  const folder = mkdtempSync(join(tmpdir(), "logweir-lost-answer-"));
  const optionsAt = (name: string): CoreOptions => ({
    directory: join(folder, name),
    threads: 1,
    memoryLimitBytes: 256 * 1024 ** 2,
    checkpointBytes: 1024 ** 2,
    compaction: { minRows: 1000, maxRows: 5000 },
  });
  /**
   * Copies of the store's files as the end of the process would leave them before each statement of the append and
   * after the last.
   */
  const states: { readonly name: string; readonly isCommitted: boolean }[] = [];

  beforeAll(async () => {
    const held: Append[] = [];
    const first = await openStore(optionsAt("store"));
    await first.store.append("edge", makeEvents(0), signal);
    await first.host.close();
    const second = await openStore(optionsAt("store"), held);
    await second.store.append("edge", makeEvents(10).map(withNewField), signal);
    await second.host.close();
    const [[source = "", batch, context] = []] = held;
    if (batch === undefined || context === undefined) throw new Error("Nothing was sent to the host");
    expect(context.tenants).toHaveLength(3);
    const { database, position } = await openStoreFile(optionsAt("store"));
    const connection = await database.connect();
    const schema = (await readSources(connection)).find(({ name }) => name === source);
    if (schema === undefined) throw new Error("The source is gone");
    let isCommitted = false;
    const keepState = (statement: string) => {
      const name = `${states.length} ${statement.slice(0, 12)}`;
      cpSync(join(folder, "store"), join(folder, name), { recursive: true });
      states.push({ name, isCommitted });
      isCommitted ||= statement === "COMMIT";
    };
    await commitGroup(observeStatements(connection, keepState), [
      { source: createStoredSource(schema), batch, context },
    ]);
    keepState("the end");
    connection.close();
    database.close();
    position?.close();
  }, 30_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("is stored with its tenants' fields or not at all, and is stored once after a retry", async () => {
    expect(states.filter(({ isCommitted }) => !isCommitted).length).toBeGreaterThan(3);
    expect(states.filter(({ isCommitted }) => isCommitted)).toHaveLength(1);
    for (const { name, isCommitted } of states) {
      const { host, store, ask } = await openStore(optionsAt(name));
      const views = () => [0, 1, 2].map((n) => metadataOf(store, `p${n}`));
      const stored = await ask("SELECT id FROM edge ORDER BY id");
      expect([name, stored.length]).toEqual([name, isCommitted ? 6 : 3]);
      expect(views()).toEqual([0, 1, 2].map((n) => (isCommitted ? both(n) : `f${n} INT64`)));
      const result = await store.append("edge", makeEvents(10).map(withNewField), signal);
      expect(result).toMatchObject(isCommitted ? { stored: 0, repeated: 3 } : { stored: 3, repeated: 0 });
      expect(await ask("SELECT COUNT(*), COUNT(DISTINCT id), COUNT(DISTINCT project) FROM edge")).toEqual([[6, 6, 3]]);
      expect(views()).toEqual([0, 1, 2].map(both));
      await host.close();
    }
  }, 60_000);
});

/** The same event with a field that is new for its tenant. */
function withNewField(event: LogEvent, n: number): LogEvent {
  return { ...event, fields: { ...event.fields, metadata: { [`f${n}`]: 1, new: "x" } } };
}

function both(n: number): string {
  return `f${n} INT64, new STRING`;
}

function metadataOf(store: DuckDbStore, tenant: string): string {
  const column = store.describe("edge", tenant)?.columns.find(({ name }) => name === "metadata");
  return column === undefined ? "" : formatType(column.type).replace(/^ARRAY<STRUCT<(.*)>>$/, "$1");
}
