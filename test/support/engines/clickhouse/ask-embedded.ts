/** The embedded engine in memory, asked for constants as nodes with a ClickHouse server do. */
import type { AskEmbedded } from "../../../../src/engines/clickhouse/asked-constants.ts";
import { openScratchEngine } from "../../../../src/engines/index.ts";

interface Embedded {
  readonly ask: AskEmbedded;
  close(): Promise<void>;
}

export async function openEmbedded(): Promise<Embedded> {
  const engine = await openScratchEngine();
  return {
    async ask(query, values) {
      const rows = await engine.run(query, values, 60_000);
      return rows.slice(1, -1);
    },
    close: () => engine.close(),
  };
}
