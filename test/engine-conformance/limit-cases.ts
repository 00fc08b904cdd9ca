/** Bounds of a run, its end from outside, and failures. */
import { strict as assert } from "node:assert";
import type { EngineErrorCode, EngineLimit, QueryLimits } from "../../src/engines/contract/query-engine.ts";
import { type Bench, eventOf } from "./bench.ts";
import { type ConformanceCase, failsWith } from "./conformance-case.ts";

/** Goes on for minutes, far longer than a test may take, and answers one row. */
const ENDLESS =
  "SELECT COUNT(*) AS n FROM UNNEST(GENERATE_ARRAY(1, 30000)) a, UNNEST(GENERATE_ARRAY(1, 30000)) b, " +
  "UNNEST(GENERATE_ARRAY(1, 9000)) c WHERE a + b * c = 7";

/** So many rows, the first of which come soon. */
function rowsOf(count: number): string {
  return `SELECT n FROM UNNEST(GENERATE_ARRAY(1, ${count})) n`;
}

/** A query fails with the code; where a limit of the run is to blame, the engine names it, or nothing. */
function failure(
  name: string,
  query: string,
  code: EngineErrorCode,
  limits: Partial<QueryLimits> = {},
  limit?: EngineLimit,
): ConformanceCase {
  return {
    name: `fails ${name}, and answers the next query`,
    async run(bench) {
      const error = await failsWith(code, bench.ask(query, { limits }));
      if (limit !== undefined) assert.equal(error.limit, limit);
      assert.deepEqual(await bench.askValues("SELECT 1"), [1]);
    },
  };
}

const limits: readonly ConformanceCase[] = [
  {
    name: "truncates an answer beyond the row limit and reports it, but not one at the limit",
    async run(bench) {
      for (const [count, isTruncated] of [
        [3000, true],
        [2048, false],
        [10, false],
      ] as const) {
        const maxRows = Math.min(count, 2048);
        const running = await bench.start(rowsOf(count), { limits: { maxRows } });
        let rowCount = 0;
        for await (const batch of running.batches) {
          assert.equal((JSON.parse(`[${batch.json}]`) as unknown[]).length, batch.rowCount);
          rowCount += batch.rowCount;
        }
        assert.equal(rowCount, maxRows);
        const summary = running.summary();
        assert.deepEqual([summary.rowCount, summary.isTruncated], [maxRows, isTruncated]);
        assert.ok(summary.engineMs >= 0);
      }
    },
  },
  failure(
    "an answer beyond its byte limit",
    `SELECT REPEAT('x', 2000) AS s FROM UNNEST(GENERATE_ARRAY(1, 1000))`,
    "result_too_large",
    {
      maxResultBytes: 100_000,
    },
  ),
  failure(
    "a text longer than a function may return",
    "SELECT REPEAT('x', n) AS s FROM UNNEST([5000]) n",
    "limit_exceeded",
    { maxStringBytes: 1000 },
    "maxStringBytes",
  ),
  failure(
    "an array larger than a function may return",
    "SELECT ARRAY_LENGTH(GENERATE_ARRAY(1, n)) AS s FROM UNNEST([5000]) n",
    "limit_exceeded",
    { maxArrayElements: 1000 },
    "maxArrayElements",
  ),
  failure("a division by zero", "SELECT 1 / n AS q FROM UNNEST([1, 0]) n", "query_failed"),
  failure("an overflow", "SELECT n + 9223372036854775807 AS s FROM UNNEST([1]) n", "query_failed"),
  failure(
    "a cast of a text that is not a number",
    "SELECT CAST(s AS INT64) AS n FROM UNNEST(['1', 'x']) s",
    "query_failed",
  ),
  {
    name: "names no column of a source when its data makes a query fail",
    async run(bench) {
      const source = await bench.makeSource();
      await bench.append(source, [eventOf("a", { secret_column: "text" })]);
      const error = await failsWith("query_failed", bench.ask(`SELECT CAST(secret_column AS INT64) FROM ${source}`));
      assert.doesNotMatch(error.message, /secret_column|case_\d/);
    },
  },
  {
    name: "ends a query at its deadline",
    run: (bench) => failsWith("timeout", bench.ask(ENDLESS, { limits: { timeoutMs: 100 } })),
  },
];

const cancel: readonly ConformanceCase[] = [
  {
    name: "does not start a query whose signal is already aborted",
    run: (bench) => failsWith("aborted", bench.ask(ENDLESS, { signal: AbortSignal.abort() })),
  },
  {
    name: "ends an aborted query before its first rows",
    run: (bench) => failsWith("aborted", bench.ask(ENDLESS, { signal: AbortSignal.timeout(20) })),
  },
  {
    name: "ends an aborted query between its rows",
    async run(bench) {
      const caller = new AbortController();
      const running = await bench.start(rowsOf(1_000_000), {
        signal: caller.signal,
        limits: { maxRows: 1_000_000, maxResultBytes: 1e9, maxArrayElements: 1_000_000 },
      });
      let rowCount = 0;
      const reading = (async () => {
        for await (const batch of running.batches) {
          rowCount += batch.rowCount;
          caller.abort();
        }
      })();
      await failsWith("aborted", reading);
      assert.ok(rowCount > 0 && rowCount < 1_000_000, `${rowCount} rows were read`);
    },
  },
  {
    name: "releases abandoned queries, read or not, however many there are",
    isLong: true,
    async run(bench) {
      const leave = async (batchCount: number) => {
        const { batches } = await bench.start(rowsOf(50_000), { limits: { maxRows: 50_000 } });
        const rows = batches[Symbol.asyncIterator]();
        for (let n = 0; n < batchCount; n++) await rows.next();
        await rows.return?.();
      };
      for (let round = 0; round < 25; round++) await Promise.all([leave(0), leave(1)]);
      assert.deepEqual(await bench.askValues("SELECT 1"), [1]);
    },
  },
  {
    name: "runs queries and appends concurrently",
    async run(bench) {
      const source = await bench.makeSource();
      const writing = Array.from({ length: 10 }, (_, n) => bench.append(source, [eventOf(`${n}`, { [`f${n}`]: n })]));
      const reading = Array.from({ length: 10 }, () => bench.askValues(`SELECT COUNT(*) FROM ${source}`));
      const [counts] = await Promise.all([Promise.all(reading), Promise.all(writing)]);
      for (const [count] of counts) assert.ok(Number(count) >= 0 && Number(count) <= 10);
      assert.deepEqual(await bench.askValues(`SELECT COUNT(*) FROM ${source}`), [10]);
    },
  },
  { name: "answers a ping, and not one that nobody waits for", run: pings },
];

async function pings({ engine }: Bench): Promise<void> {
  await engine.ping(AbortSignal.timeout(10_000));
  await assert.rejects(engine.ping(AbortSignal.abort()));
}

export const limitCases: readonly ConformanceCase[] = [...limits, ...cancel];
