import { defaultCapabilities } from "../../src/engines/contract/capabilities.ts";
import {
  type CompiledQuery,
  type Engine,
  type LogEvent,
  RowBatch,
  type RunningQuery,
  type RunRequest,
} from "../../src/engines/contract/query-engine.ts";

/** An engine that answers what a test tells it to, and remembers what it was asked. */
export interface FakeEngine extends Engine {
  readonly requests: RunRequest[];
  readonly appended: { readonly source: string; readonly events: readonly LogEvent[] }[];
  /** Answers `run`; by default with one empty answer. */
  onRun: (request: RunRequest) => Promise<RunningQuery>;
  onPing: () => Promise<void>;
  onAppend: () => Promise<void>;
}

export const emptyQuery: CompiledQuery = { sql: "SELECT 1", parameters: [], columns: [], tables: [] };

/** A running query that gives these batches of rows. */
export function runningQuery(batches: readonly (readonly object[])[]): RunningQuery {
  const rowCount = batches.reduce((sum, rows) => sum + rows.length, 0);
  return {
    batches: (async function* () {
      for (const rows of batches) yield toBatch(rows);
    })(),
    summary: () => ({ rowCount, isTruncated: false, engineMs: 1 }),
  };
}

/** Rows as the engine writes them: JSON objects, comma separated. */
export function toBatch(rows: readonly object[]): RowBatch {
  return new RowBatch(rows.map((row) => JSON.stringify(row)).join(","), rows.length);
}

export function createFakeEngine(): FakeEngine {
  const engine: FakeEngine = {
    name: "fake",
    capabilities: defaultCapabilities,
    requests: [],
    appended: [],
    onRun: async () => runningQuery([]),
    onPing: async () => undefined,
    onAppend: async () => undefined,
    compile: () => emptyQuery,
    async *findEvents() {},
    run: (request) => {
      engine.requests.push(request);
      return engine.onRun(request);
    },
    ping: () => engine.onPing(),
    close: async () => undefined,
    store: {
      ensureSource: async () => undefined,
      ensureSources: async () => undefined,
      describe: (name) => ({ name, columns: [], isLenient: true }),
      append: async (source, events) => {
        await engine.onAppend();
        engine.appended.push({ source, events });
        return { stored: events.length, repeated: 0 };
      },
      countEvents: async () => 0,
      deleteEvents: async () => ({ matched: 0, deleted: 0 }),
      dropSource: async () => undefined,
      statistics: async () => [],
    },
  };
  return engine;
}
