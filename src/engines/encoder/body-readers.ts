/** The threads that read bodies: one for those that are quickly read, which never wait behind the others. */
import { Admission } from "../../shared/concurrency/admission.ts";
import { BodyError, EngineError, type StoredBody } from "../contract/query-engine.ts";
import type { SourceState } from "../schema/source/source-state.ts";
import { EncoderThread, type EncoderThreadOptions, type ThreadEvents } from "./encoder-thread.ts";

/** Bytes, after decompression, of a body that is read in some tens of milliseconds. */
const QUICK_BYTES = 1_000_000;
/** One is read, and the next lies ready. */
const MAX_RUNNING = 2;
const MAX_WAITING = 256;
const MAX_WAITING_PER_SENDER = 64;

interface Lane<Batch> {
  readonly thread: Pick<EncoderThread<Batch>, "read" | "close">;
  readonly turns: Admission;
}

function refuse(whose: "own" | "all"): EngineError {
  const message =
    whose === "own"
      ? `${MAX_WAITING_PER_SENDER} bodies of this token are waiting to be read`
      : `${MAX_WAITING} bodies are waiting to be read`;
  return new EngineError("overloaded", message, { retryAfterSeconds: 1 });
}

/** Reads bodies by turns: each sender's next one, whatever others have waiting, and quick ones beside slow ones. */
export class BodyReaders<Batch> {
  readonly #quick: Lane<Batch>;
  readonly #slow: Lane<Batch>;

  /** `open` starts a thread; by default an `EncoderThread`. */
  constructor(
    options: EncoderThreadOptions,
    open: (options: EncoderThreadOptions) => Lane<Batch>["thread"] = (given) => new EncoderThread<Batch>(given),
  ) {
    const limits = {
      maxRunning: MAX_RUNNING,
      maxWaiting: MAX_WAITING,
      maxWaitingPerCaller: MAX_WAITING_PER_SENDER,
      refuse,
    };
    this.#quick = { thread: open(options), turns: new Admission(limits) };
    this.#slow = { thread: open(options), turns: new Admission(limits) };
  }

  /**
   * As `EncoderThread.read`, once it is the sender's turn. Rejects also with `EngineError` `overloaded` where too many
   * bodies wait, and with the signal's reason when that is aborted first.
   */
  async read(state: SourceState, body: StoredBody, signal: AbortSignal): Promise<ThreadEvents<Batch>> {
    const { bytes, contentEncoding, maxBytes } = body;
    if (bytes.length > QUICK_BYTES) return this.#readIn(this.#slow, state, body, signal);
    if (contentEncoding === undefined || maxBytes <= QUICK_BYTES) return this.#readIn(this.#quick, state, body, signal);
    try {
      // How long it is shows when it is unpacked. Its bytes are taken away: the slow thread gets others. A slice of a
      // Buffer would be the same memory.
      const copy = { ...body, bytes: new Uint8Array(bytes), maxBytes: QUICK_BYTES };
      return await this.#readIn(this.#quick, state, copy, signal);
    } catch (error) {
      if (!(error instanceof BodyError && error.code === "body_too_large")) throw error;
      return this.#readIn(this.#slow, state, body, signal);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#quick.thread.close(), this.#slow.thread.close()]);
  }

  async #readIn(
    { thread, turns }: Lane<Batch>,
    state: SourceState,
    body: StoredBody,
    signal: AbortSignal,
  ): Promise<ThreadEvents<Batch>> {
    const leave = await turns.enter(signal, body.sender);
    try {
      return await thread.read(state, body);
    } finally {
      leave();
    }
  }
}
