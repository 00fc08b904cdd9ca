/** Looks after the memory that single queries take. */
import type { Database } from "../../driver/connection.ts";

const SAMPLE_INTERVAL_MS = 50;
/** The memory of queries. Buffers of the file belong to all, and are freed when memory is needed. */
const MEMORY_OF_QUERIES =
  "SELECT coalesce(sum(memory_usage_bytes), 0)::DOUBLE FROM duckdb_memory() " +
  "WHERE tag NOT IN ('BASE_TABLE', 'METADATA', 'TRANSACTION', 'WINDOW_CACHE')";

export interface MemoryWatch {
  /**
   * Calls `onExceeded` once when the engine's queries hold more than `maxBytes` more than when this one began, shared
   * out among those that run: DuckDB does not show which query holds what. The function that is answered ends the
   * watch.
   */
  watch(maxBytes: number, onExceeded: () => void): () => void;
  /** To be called for every query, so that memory is shared out; answers what ends it. */
  enter(): () => void;
}

/** Samples only while a query with a bound runs. */
export function createMemoryWatch(database: Database): MemoryWatch {
  let running = 0;

  const read = async (): Promise<number> => {
    const connection = await database.connect();
    try {
      const [row] = await connection.all(MEMORY_OF_QUERIES);
      return Number(row?.[0] ?? 0);
    } finally {
      connection.close();
    }
  };

  return {
    enter() {
      running++;
      return () => {
        running--;
      };
    },
    watch(maxBytes, onExceeded) {
      let isOver = false;
      const before = read();
      let isSampling = false;
      const sample = async () => {
        if (isSampling) return;
        isSampling = true;
        try {
          const grownBytes = (await read()) - (await before);
          if (isOver || grownBytes / Math.max(1, running) <= maxBytes) return;
          isOver = true;
          onExceeded();
        } catch {
          // The database is closing: so is the query.
        } finally {
          isSampling = false;
        }
      };
      before.catch(() => undefined);
      const timer = setInterval(() => void sample(), SAMPLE_INTERVAL_MS);
      return () => {
        isOver = true;
        clearInterval(timer);
      };
    },
  };
}
