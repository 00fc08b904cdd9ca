/** The engine host as seen over a stream of frames. */
import type { Duplex } from "node:stream";
import { createPassingMap } from "../../passing-map.ts";
import { type AppendResult, EngineError, type QuerySummary, type RowBatch } from "../engine.ts";
import type { EncodedBatch } from "./batch.ts";
import { type Frame, FrameReader, writeFrame } from "./host/frames.ts";
import type {
  CoreOptions,
  EngineHost,
  HostAnswer,
  HostQuery,
  HostReport,
  HostRequest,
  HostSnapshot,
  SourceSchema,
  TableStatistics,
} from "./host/protocol.ts";
import type { SchemaEntry } from "./schema/schema-entry.ts";

type Unnumbered<T> = T extends unknown ? Omit<T, "id"> : never;
type RequestBody = Unnumbered<HostRequest>;

interface Pending {
  readonly onAnswer: (answer: HostAnswer, body: Buffer) => void;
  readonly onFailure: (error: EngineError) => void;
  readonly isQuery: boolean;
  /** When its limit of time is over. */
  readonly deadlineMs?: number;
  /** When the caller gave up on it; the host should answer soon after. */
  cancelledAtMs?: number;
}

function errorOf(answer: HostAnswer & { kind: "error" }): EngineError {
  const { code, message, detail, retryAfterSeconds } = answer;
  return new EngineError(code, message, {
    ...(detail === undefined ? {} : { cause: new Error(detail) }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

/** Batches that arrived and were not taken yet, and how it ended. */
class BatchQueue {
  readonly #items: (RowBatch | QuerySummary | EngineError)[] = [];
  #wake: (() => void) | undefined;

  push(item: RowBatch | QuerySummary | EngineError): void {
    this.#items.push(item);
    this.#wake?.();
  }

  /** Puts an end before everything that was not taken. */
  fail(error: EngineError): void {
    this.#items.unshift(error);
    this.#wake?.();
  }

  async next(): Promise<RowBatch | QuerySummary | EngineError> {
    for (;;) {
      const item = this.#items.shift();
      if (item !== undefined) return item;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

export class HostClient implements EngineHost {
  readonly #stream: Duplex;
  readonly #pending = createPassingMap<number, Pending>();
  #lastId = 0;
  #failure: EngineError | undefined;

  constructor(stream: Duplex) {
    this.#stream = stream;
    const reader = new FrameReader();
    stream.on("data", (piece: Buffer) => {
      for (const frame of reader.push(piece)) this.#receive(frame);
    });
  }

  get queryCount(): number {
    let count = 0;
    for (const [, pending] of this.#pending.entries()) if (pending.isQuery) count++;
    return count;
  }

  /**
   * Since when a query goes on that was cancelled and has had its time, the longest one; undefined when there is none. One that
   * was cancelled early has its time first: it takes nothing that its caller was not given.
   */
  oldestOverdueMs(): number | undefined {
    let oldest: number | undefined;
    for (const [, { cancelledAtMs, deadlineMs = 0 }] of this.#pending.entries()) {
      if (cancelledAtMs === undefined) continue;
      const overdue = Math.max(cancelledAtMs, deadlineMs);
      if (oldest === undefined || overdue < oldest) oldest = overdue;
    }
    return oldest;
  }

  /** The host is gone: everything under way and to come fails. Queries may get an error of their own. */
  fail(error: EngineError, queryError: EngineError = error): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    for (const [, pending] of this.#pending.entries()) pending.onFailure(pending.isQuery ? queryError : error);
    this.#pending.clear();
  }

  open(options: CoreOptions): Promise<readonly SourceSchema[]> {
    return this.#request({ kind: "open", options }) as Promise<readonly SourceSchema[]>;
  }

  append(source: string, batches: readonly EncodedBatch[]): Promise<AppendResult> {
    const payloads = batches.map(({ payload }) => payload);
    const parts = batches.map(({ header, payload }) => ({ header, byteCount: payload.length }));
    const [only = Buffer.alloc(0), ...others] = payloads;
    const body = others.length === 0 ? only : Buffer.concat(payloads);
    return this.#request({ kind: "append", source, batches: parts }, body) as Promise<AppendResult>;
  }

  createSource(name: string, entries: readonly SchemaEntry[]): Promise<SourceSchema> {
    return this.#request({ kind: "createSource", name, entries }) as Promise<SourceSchema>;
  }

  async addEntries(source: string, entries: readonly SchemaEntry[]): Promise<void> {
    await this.#request({ kind: "addEntries", source, entries });
  }

  statistics(): Promise<readonly TableStatistics[]> {
    return this.#request({ kind: "statistics" }) as Promise<readonly TableStatistics[]>;
  }

  deleteBefore(source: string, timestampUs: string): Promise<number> {
    return this.#request({ kind: "deleteBefore", source, timestampUs }) as Promise<number>;
  }

  report(): Promise<HostReport> {
    return this.#request({ kind: "report" }) as Promise<HostReport>;
  }

  beginSnapshot(): Promise<HostSnapshot> {
    return this.#request({ kind: "beginSnapshot" }) as Promise<HostSnapshot>;
  }

  async endSnapshot(): Promise<void> {
    await this.#request({ kind: "endSnapshot" });
  }

  maintain(): Promise<boolean> {
    return this.#request({ kind: "maintain" }) as Promise<boolean>;
  }

  async ping(): Promise<void> {
    await this.#request({ kind: "ping" });
  }

  async close(): Promise<void> {
    await this.#request({ kind: "close" });
  }

  async *run(query: HostQuery, signal: AbortSignal): AsyncGenerator<RowBatch, QuerySummary, void> {
    if (signal.aborted) throw new EngineError("aborted", "The query was stopped");
    const queue = new BatchQueue();
    let isDone = false;
    const end = (item: QuerySummary | EngineError) => {
      isDone = true;
      queue.push(item);
    };
    const id = this.#send(
      { kind: "run", query },
      {
        isQuery: true,
        deadlineMs: performance.now() + query.limits.timeoutMs,
        onAnswer: (answer, body) => {
          if (answer.kind === "rows") queue.push({ json: body.toString(), rowCount: answer.rowCount });
          else end(answer.kind === "error" ? errorOf(answer) : (answer.value as QuerySummary));
        },
        onFailure: end,
      },
    );
    const onAbort = () => queue.fail(new EngineError("aborted", "The query was stopped"));
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      for (;;) {
        const item = await queue.next();
        if (item instanceof EngineError) throw item;
        if (!("json" in item)) return item;
        this.#write({ id, kind: "more" });
        yield item;
      }
    } finally {
      signal.removeEventListener("abort", onAbort);
      if (!isDone) this.#cancel(id);
    }
  }

  #cancel(id: number): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    pending.cancelledAtMs = performance.now();
    this.#write({ id, kind: "cancel" });
  }

  #request(body: RequestBody, payload?: Buffer): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#send(
        body,
        {
          isQuery: false,
          onAnswer: (answer) => {
            if (answer.kind === "error") reject(errorOf(answer));
            else resolve(answer.kind === "done" ? answer.value : undefined);
          },
          onFailure: reject,
        },
        payload,
      );
    });
  }

  #send(body: RequestBody, pending: Pending, payload?: Buffer): number {
    const id = ++this.#lastId;
    if (this.#failure !== undefined) {
      pending.onFailure(this.#failure);
      return id;
    }
    this.#pending.set(id, pending);
    this.#write({ id, ...body } as HostRequest, payload);
    return id;
  }

  #write(request: HostRequest, payload?: Buffer): void {
    if (this.#failure !== undefined) return;
    writeFrame(this.#stream, request, payload);
  }

  #receive({ head, body }: Frame): void {
    const answer = head as HostAnswer;
    const pending = this.#pending.get(answer.id);
    if (pending === undefined) return;
    if (answer.kind !== "rows") this.#pending.delete(answer.id);
    pending.onAnswer(answer, body);
  }
}
