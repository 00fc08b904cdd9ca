/** The long cases, and the corpus of the language on the complete engine: in its own process, with its own plans. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Bench } from "../../../test/engine-conformance/index.ts";
import { testConformance } from "../../../test/engine-conformance/test-conformance.ts";
import { sampleOf } from "../../../test/support/sample-size.ts";
import { openDuckDbEngine } from "./index.ts";

const folder = mkdtempSync(join(tmpdir(), "logweir-conformance-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const openAt = (name: string) => () => openDuckDbEngine({ directory: join(folder, name), threads: 2 });

testConformance({ name: "the embedded engine", open: openAt("store"), notSupported: {}, cases: "long" });

interface CorpusCase {
  readonly name: string;
  readonly query: string;
  readonly params?: unknown;
  readonly rows?: readonly unknown[];
  readonly error?: string;
}

describe("the embedded engine answers the corpus", () => {
  const corpus = new URL("../../../test/conformance/corpus/", import.meta.url);
  const files = readdirSync(corpus).filter((file) => file.endsWith(".json"));
  let bench: Bench;
  beforeAll(async () => {
    bench = await Bench.open(openAt("corpus"));
  });
  afterAll(() => bench.close());

  it.each(files)(
    "%s",
    async (file) => {
      const cases = JSON.parse(readFileSync(new URL(file, corpus), "utf8")) as readonly CorpusCase[];
      const wrong: unknown[] = [];
      for (const { name, query, params, rows, error } of sampleOf(cases, 0.15)) {
        if (params !== undefined) continue;
        const asked = await bench.ask(query, { encoding: "cells", limits: { maxRows: 1_000_000 } }).then(
          (found) => ({ rows: found }),
          (failure: unknown) => ({ error: failure instanceof Error ? failure.message : String(failure) }),
        );
        const isRight =
          "rows" in asked ? JSON.stringify(asked.rows) === JSON.stringify(rows) : asked.error.includes(error ?? "\0");
        if (!isRight) wrong.push({ name, asked });
      }
      expect(wrong).toEqual([]);
    },
    300_000,
  );
});
