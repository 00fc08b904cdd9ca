/** ClickHouse's engine in a process of its own, so that its memory and its blocking calls are its own. */
import { createRequire } from "node:module";
import { join } from "node:path";

/** The messages of the parent process. */
export type WorkerRequest =
  | { readonly id: number; readonly kind: "query"; readonly sql: string }
  | { readonly id: number; readonly kind: "insert"; readonly lines: Buffer };

/** `elapsedMs` is measured here, so that the way between the processes does not count. */
export interface WorkerAnswer {
  readonly id: number;
  readonly elapsedMs: number;
  readonly text?: string;
  readonly error?: string;
}

interface Session {
  query(sql: string, format: string): string;
  insert(parameters: {
    readonly table: string;
    readonly values: Buffer;
    readonly format: string;
    readonly settings: Readonly<Record<string, string | number>>;
  }): Promise<unknown>;
}

interface Chdb {
  readonly Session: new (path: string) => Session;
}

const insertSettings = { date_time_input_format: "best_effort", input_format_skip_unknown_fields: 1 };

async function answer(session: Session, request: WorkerRequest): Promise<WorkerAnswer> {
  const startedAt = performance.now();
  try {
    if (request.kind === "query") {
      const text = session.query(request.sql, "JSONCompactEachRow");
      return { id: request.id, elapsedMs: performance.now() - startedAt, text };
    }
    const values = Buffer.from(request.lines);
    await session.insert({ table: "bench.events", values, format: "JSONEachRow", settings: insertSettings });
    return { id: request.id, elapsedMs: performance.now() - startedAt };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { id: request.id, elapsedMs: performance.now() - startedAt, error: message };
  }
}

/** Serves the parent until it disconnects. `packages` holds `node_modules/chdb`. */
export function runClickhouseWorker(packages: string, dataFolder: string): void {
  const chdb = createRequire(join(packages, "package.json"))("chdb") as Chdb;
  const session = new chdb.Session(dataFolder);
  process.on("message", (request: WorkerRequest) => {
    void answer(session, request).then((result) => process.send?.(result));
  });
  process.on("disconnect", () => process.exit(0));
}
