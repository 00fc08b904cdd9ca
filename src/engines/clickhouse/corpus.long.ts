/** The corpus of the language on a ClickHouse server: pushed and divided queries return the expected rows. */
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSharedServer, type SharedServer } from "../../../test/clickhouse/shared-server.ts";
import { sampleOf } from "../../../test/support/sample-size.ts";
import { parseQuery } from "../../googlesql/parse.ts";
import { resolveQuery } from "../../googlesql/resolver/resolve.ts";
import type { ScratchEngine } from "../contract/scratch-engine.ts";
import { openScratchEngine } from "../index.ts";

interface CorpusCase {
  readonly name: string;
  readonly query: string;
  readonly params?: unknown;
  readonly rows?: readonly unknown[];
  readonly error?: string;
}

const corpus = new URL("../../../test/conformance/corpus/", import.meta.url);
const files = readdirSync(corpus).filter((file) => file.endsWith(".json"));
const TIMEOUT_MS = 30_000;

describe("ClickHouse answers the corpus", () => {
  let shared: SharedServer;
  let engine: ScratchEngine;
  beforeAll(async () => {
    shared = await openSharedServer();
    engine = await openScratchEngine(shared.server);
  }, 300_000);
  afterAll(async () => {
    await engine.close();
    await shared.release();
  });

  async function ask(text: string): Promise<readonly unknown[]> {
    const query = resolveQuery(parseQuery(text), text, { tables: engine.tables, inferParameters: true });
    return JSON.parse(await engine.run(engine.compile(query, { text }), [], TIMEOUT_MS)) as readonly unknown[];
  }

  it.each(files)(
    "%s",
    async (file) => {
      const cases = JSON.parse(readFileSync(new URL(file, corpus), "utf8")) as readonly CorpusCase[];
      const wrong: unknown[] = [];
      for (const { name, query, params, rows } of sampleOf(cases, 0.15)) {
        if (params !== undefined) continue;
        const asked = await ask(query).then(
          (found) => ({ rows: found }),
          (failure: unknown) => ({ error: failure instanceof Error ? failure.message : String(failure) }),
        );
        // The server words its errors differently.
        const isRight = rows === undefined ? "error" in asked : JSON.stringify(asked) === JSON.stringify({ rows });
        if (!isRight) wrong.push({ name, asked });
      }
      expect(wrong).toEqual([]);
    },
    300_000,
  );
});
