import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { observeStatements } from "../../../../test/support/engines/duckdb/store/observe-statements.ts";
import { sampleOf } from "../../../../test/support/sample-size.ts";
import { parseQuery } from "../../../googlesql/parse.ts";
import { resolveQuery } from "../../../googlesql/resolve.ts";
import { STRING } from "../../../googlesql/types.ts";
import { type CompiledQuery, EngineError, type LogEvent, type SourceDefinition } from "../../contract/query-engine.ts";
import { compileQuery } from "../compile/compile.ts";
import { openCore } from "../host/core.ts";
import type { CoreOptions } from "../host/protocol.ts";
import { dropSourceTable } from "../host/store/source-tables.ts";
import { openStoreFile, readSources } from "../host/store/store-file.ts";
import { runQuery } from "../run-query.ts";
import { DuckDbStore } from "./store.ts";

const signal = new AbortController().signal;
const limits = { timeoutMs: 60_000, maxRows: 100_000, maxResultBytes: 10_000_000 };
const definitionOf = (name: string): SourceDefinition => ({
  name,
  tenantField: "project",
  knownFields: [{ path: "project", type: STRING }],
});

function makeEvents(count: number, field: string): LogEvent[] {
  return Array.from({ length: count }, (_, n) => ({
    id: `id ${n}`,
    hasGeneratedId: false,
    timestampUs: BigInt(n),
    eventMessage: "x".repeat(50),
    fields: { project: "p", [field]: n },
  }));
}

const folder = mkdtempSync(join(tmpdir(), "logweir-drop-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const optionsAt = (name: string): CoreOptions => ({
  directory: join(folder, name),
  threads: 1,
  memoryLimitBytes: 256 * 1024 ** 2,
  checkpointBytes: 1024 ** 2,
  compaction: { minRows: 1000, maxRows: 5000 },
});

async function openStore(name: string) {
  const { host, sources } = await openCore(optionsAt(name), {
    onFatal: () => expect.unreachable(),
    // A checkpoint during a query that reads dropped rows fails, and is repeated later.
    onProblem: () => undefined,
  });
  const store = new DuckDbStore(() => host);
  store.load({ sources });
  const compile = (text: string): CompiledQuery => {
    const tables = { findTable: (table: string) => store.describe(table), tableNames: () => [] };
    return compileQuery(resolveQuery(parseQuery(text), text, { tables }), store.layoutOf, { text });
  };
  const run = async (query: CompiledQuery) =>
    (await runQuery(host, { query, values: [], encoding: "cells", limits, signal })).batches;
  const ask = async (query: CompiledQuery) => {
    const rows: unknown[] = [];
    for await (const { json } of await run(query)) rows.push(...(JSON.parse(`[${json}]`) as unknown[]));
    return rows;
  };
  const tables = async () => (await host.statistics()).map(({ name: source }) => source);
  return { host, store, compile, run, ask, tables };
}

const fieldsOf = (store: DuckDbStore, name: string) => store.describe(name)?.columns.map(({ name: column }) => column);

describe("a dropped source", () => {
  it("lets a running query read all its rows, and a query planned earlier finds none", async () => {
    const { host, store, compile, run, ask } = await openStore("readers");
    await store.ensureSource(definitionOf("gone"));
    await store.append("gone", makeEvents(20_000, "old"), signal);
    const query = compile("SELECT id, event_message FROM gone");
    const late = compile("SELECT COUNT(*) FROM gone");
    const reading = await run(query);
    let rowCount = 0;
    let isDropped = false;
    for await (const batch of reading) {
      rowCount += batch.rowCount;
      if (isDropped) continue;
      isDropped = true;
      await store.dropSource("gone");
      // Other rows take the space of the source's rows.
      await store.ensureSource(definitionOf("next"));
      await store.append("next", makeEvents(20_000, "new"), signal);
    }
    expect(rowCount).toBe(20_000);
    expect(await ask(late)).toEqual([[0]]);
    expect(await ask(query)).toEqual([]);
    await host.close();
  });

  it("never gives its table name to another source, even after restarts", async () => {
    const tables: string[] = [];
    for (let round = 0; round < 3; round++) {
      const { host, store, compile } = await openStore("names");
      for (const name of ["a", "b"]) {
        await store.ensureSource(definitionOf(name));
        tables.push(/events_\d+/.exec(compile(`SELECT id FROM ${name}`).sql)?.[0] ?? "none");
        await store.dropSource(name);
      }
      await host.close();
    }
    expect(new Set(tables).size).toBe(6);
    // Only one empty table remains of them.
    const { database, position } = await openStoreFile(optionsAt("names"));
    const connection = await database.connect();
    const left = await connection.all("SELECT table_name FROM duckdb_tables() WHERE starts_with(table_name, 'events')");
    expect(left).toEqual([[tables.at(-1)]]);
    connection.close();
    database.close();
    position?.close();
  });

  it("passes nothing that was prepared for it to a new source of the same name", async () => {
    const { host, store, compile, ask } = await openStore("stale");
    await store.ensureSource(definitionOf("again"));
    const appends = Array.from({ length: 10 }, (_, n) =>
      store.append("again", makeEvents(5, `field_${n}`), signal).catch((error: unknown) => error),
    );
    const dropped = store.dropSource("again");
    await store.ensureSource(definitionOf("again"));
    await dropped;
    const refusals = (await Promise.all(appends)).filter((outcome) => outcome instanceof EngineError);
    expect(refusals.length).toBeGreaterThan(0);
    expect(new Set(refusals.map(({ code }) => code))).toEqual(new Set(["unknown_source"]));
    expect(fieldsOf(store, "again")?.filter((name) => name.startsWith("field_"))).toEqual([]);
    expect(await ask(compile("SELECT COUNT(*) FROM again"))).toEqual([[0]]);
    expect(store.describe("again", "p")).toBe(store.describe("again", null));
    await host.close();
  });
});

describe("an interrupted drop of a source", () => {
  it("leaves the whole source or nothing of it, wherever the process ended, and can be repeated", async () => {
    const first = await openStore("store");
    for (const name of ["other", "edge"]) {
      await first.store.ensureSource(definitionOf(name));
      await first.store.append(name, makeEvents(5, "brought"), signal);
    }
    await first.host.close();
    const states: { readonly name: string; readonly isCommitted: boolean }[] = [];
    const { database, position } = await openStoreFile(optionsAt("store"));
    const connection = await database.connect();
    const source = (await readSources(connection)).find(({ name }) => name === "edge");
    if (source === undefined) throw new Error("The source is gone");
    let isCommitted = false;
    const keepState = (statement: string) => {
      const name = `cut ${states.length}`;
      cpSync(join(folder, "store"), join(folder, name), { recursive: true });
      states.push({ name, isCommitted });
      isCommitted ||= statement === "COMMIT";
    };
    await dropSourceTable(observeStatements(connection, keepState), source);
    keepState("the end");
    connection.close();
    database.close();
    position?.close();
    expect(states.map((state) => state.isCommitted)).toEqual([...Array<boolean>(7).fill(false), true]);

    for (const { name, isCommitted: isGone } of sampleOf(states, 0.25)) {
      const { host, store, compile, ask, tables } = await openStore(name);
      expect([name, await tables()]).toEqual([name, isGone ? ["other"] : ["other", "edge"]]);
      expect(fieldsOf(store, "edge")?.includes("brought")).toBe(isGone ? undefined : true);
      if (!isGone) expect(await ask(compile("SELECT COUNT(*) FROM edge"))).toEqual([[5]]);
      await store.dropSource("edge");
      await store.ensureSource(definitionOf("edge"));
      expect(fieldsOf(store, "edge")).not.toContain("brought");
      expect(await store.append("edge", makeEvents(5, "new"), signal)).toMatchObject({ stored: 5, repeated: 0 });
      expect(await ask(compile("SELECT COUNT(*) FROM other"))).toEqual([[5]]);
      await host.close();
    }
  }, 60_000);
});
