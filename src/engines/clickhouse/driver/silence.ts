/**
 * Distinguishes a silent server from one that has much to do: while a call waits for it, it is asked for a sign of life
 * over a connection of its own.
 */
import { openDeadline } from "../../../shared/concurrency/deadline.ts";

/** How long a call waits before its server is asked, and how long the server may take to answer that. */
const SILENCE_MS = 5_000;

/** The signal of pings that are never aborted. */
const NOBODY = new AbortController().signal;

/** The cause of the error of a call that waited until its server turned out to be silent. */
export class SilentServer extends Error {}

/** Resolves, or rejects, when the server has answered anything at all. */
type Ask = (signal: AbortSignal) => Promise<unknown>;

/** One server. */
export class SilenceDetector {
  readonly #ask: Ask;
  readonly #ms: number;
  #asked: Promise<boolean> | undefined;

  constructor(ask: Ask, ms: number = SILENCE_MS) {
    this.#ask = ask;
    this.#ms = ms;
  }

  /** Watches the server from now on. */
  watch(signal: AbortSignal): SilenceWatch {
    return new SilenceWatch(signal, this.#ms, () => this.isSilent());
  }

  /** Pings the server now. Concurrent callers share one ping. */
  isSilent(): Promise<boolean> {
    this.#asked ??= this.#isUnanswered().finally(() => {
      this.#asked = undefined;
    });
    return this.#asked;
  }

  async #isUnanswered(): Promise<boolean> {
    const deadline = openDeadline(NOBODY, this.#ms);
    const isOver = new Promise<void>((resolve) => deadline.signal.addEventListener("abort", () => resolve()));
    // Any response, or a refused connection, is not silence: the calls themselves handle it.
    await Promise.race([this.#ask(deadline.signal).catch(() => undefined), isOver]);
    deadline.release();
    return deadline.isOver;
  }
}

/** The time of one call. Must be released. */
export class SilenceWatch {
  /** Aborted with the given signal, or when the server turned out to be silent. */
  readonly signal: AbortSignal;
  /** True once the server was found silent. */
  isSilent = false;
  /** How long the server may say nothing before it is asked. */
  readonly ms: number;
  readonly #controller = new AbortController();
  readonly #parent: AbortSignal;
  readonly #follow: () => void;
  #timer: NodeJS.Timeout | undefined;
  #isReleased = false;

  constructor(parent: AbortSignal, ms: number, ask: () => Promise<boolean>) {
    this.signal = this.#controller.signal;
    this.ms = ms;
    this.#parent = parent;
    this.#follow = () => {
      this.release();
      this.#controller.abort(parent.reason);
    };
    parent.addEventListener("abort", this.#follow, { once: true });
    if (parent.aborted) this.#follow();
    else this.#wait(ms, ask);
  }

  #wait(ms: number, ask: () => Promise<boolean>): void {
    this.#timer = setTimeout(() => void this.#look(ms, ask), ms);
    this.#timer.unref();
  }

  async #look(ms: number, ask: () => Promise<boolean>): Promise<void> {
    const isSilent = await ask();
    if (this.#isReleased) return;
    if (!isSilent) {
      this.#wait(ms, ask);
      return;
    }
    this.isSilent = true;
    this.release();
    this.#controller.abort(new DOMException("The server is silent", "TimeoutError"));
  }

  /** Lets go of the given signal and of the clock; nothing aborts it any more. */
  release(): void {
    this.#isReleased = true;
    clearTimeout(this.#timer);
    this.#parent.removeEventListener("abort", this.#follow);
  }
}
