/** Keeps the engine host running: starts it, watches it, ends it when it misbehaves, and starts it again. */
import type { ChildProcess } from "node:child_process";
import { EventEmitter } from "node:events";
import { loadavg } from "node:os";
import type { Duplex } from "node:stream";
import { EngineError } from "../../contract/query-engine.ts";
import type { OpenedStore } from "../host/protocol.ts";
import { type Blame, HostClient } from "./host-client.ts";
import { type LaunchOptions, launchHost } from "./host-launch.ts";
import { residentBytes, slowness } from "./machine.ts";

export interface HostProcessOptions extends LaunchOptions {
  /** How long a cancelled query may go on after its deadline before the host is ended; 600 ms by default. */
  readonly unstoppableAfterMs?: number;
  /** How long to wait for a store that another process holds; three seconds by default. */
  readonly lockPatienceMs?: number;
  /** How long calls wait for a host that is being started again; five seconds by default. */
  readonly readyPatienceMs?: number;
  /** How its process is started; `launchHost` by default. */
  readonly launch?: typeof launchHost;
  readonly log: (level: "info" | "warn" | "error", message: string) => void;
  /** Called whenever the host is ready, before any request reaches it. */
  readonly onReady: (opened: OpenedStore) => void;
}

const WATCH_INTERVAL_MS = 50;
/** If the time between two checks exceeds this, the service itself was paused. */
const PUNCTUAL_MS = 4 * WATCH_INTERVAL_MS;
const MEMORY_INTERVAL_MS = 250;
const PING_INTERVAL_MS = 1000;
/** A host that answers no ping for so long hangs. */
const UNRESPONSIVE_AFTER_MS = 15_000;
/** A cancelled query that goes on for so long after its deadline cannot be interrupted. */
const UNSTOPPABLE_AFTER_MS = 600;
const CLOSE_TIMEOUT_MS = 30_000;
/** Between tries to start a host that cannot start; one that was running is started again at once. */
const MAX_RESTART_DELAY_MS = 5000;

const READY_PATIENCE_MS = 5000;
/** Calls also wait no longer once so many starts failed in a row: a host that was ended may start the next time. */
const HOPEFUL_STARTS = 2;

const LOCK_PATIENCE_MS = 3000;
const LOCK_RETRY_MS = 200;

function isLocked(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof Error && error.cause.message.includes("Could not set lock");
}

/** The share of the limit above which a host that the system killed counts as short of memory. */
const SUSPECT_SHARE = 0.7;
/**
 * How a process ends that cannot get memory, or that reads where nothing is; V8 and the C++ runtime differ in their
 * signals.
 */
const CRASHES: ReadonlySet<string> = new Set([
  "SIGABRT",
  "SIGSEGV",
  "SIGBUS",
  "SIGTRAP",
  "SIGILL",
  "133",
  "134",
  "139",
]);

interface RunningHost {
  readonly child: ChildProcess;
  readonly client: HostClient;
  /** Resolves when the process is gone. */
  readonly exited: Promise<void>;
  /** Which query is to blame once the process is gone. */
  blame: Blame;
  /** Resident memory when it was weighed last. */
  residentBytes: number;
  /** How long the host has answered nothing while this process was there to hear it. */
  silentMs: number;
}

export class HostProcess {
  readonly #options: HostProcessOptions;
  #host: RunningHost | undefined;
  #isReady = false;
  #isClosing = false;
  #failedStarts = 0;
  #restartTimer: NodeJS.Timeout | undefined;
  /** Emits `settled` when a start succeeded, and when it is no longer likely to. */
  readonly #started = new EventEmitter().setMaxListeners(0);
  #watchTimer: NodeJS.Timeout | undefined;
  #pingedAtMs = 0;
  #watchedAtMs = 0;
  #weighedAtMs = 0;

  constructor(options: HostProcessOptions) {
    this.#options = options;
  }

  /**
   * Starts the host for the first time. Rejects when the store cannot be opened. The host of a service that was killed
   * a moment ago may still be ending, so a store that is in use is asked for again for a while.
   */
  async start(): Promise<void> {
    const giveUpAt = performance.now() + (this.#options.lockPatienceMs ?? LOCK_PATIENCE_MS);
    for (;;) {
      try {
        await this.#start();
        break;
      } catch (error) {
        if (!isLocked(error) || performance.now() >= giveUpAt) throw error;
        await new Promise((resolve) => setTimeout(resolve, LOCK_RETRY_MS));
      }
    }
    this.#watchTimer = setInterval(() => this.#watch(), WATCH_INTERVAL_MS);
    this.#watchTimer.unref();
  }

  /** The running host. Throws `EngineError` `unavailable` while there is none. */
  client(): HostClient {
    if (this.#host === undefined || !this.#isReady) {
      throw new EngineError("unavailable", "The engine is restarting", { retryAfterSeconds: 1, isLost: true });
    }
    return this.#host.client;
  }

  /** Process id of the host, while there is one. */
  get pid(): number | undefined {
    return this.#host?.child.pid;
  }

  /** True when so many starts in a row failed that the next is unlikely to succeed. */
  get cannotStart(): boolean {
    return this.#failedStarts > HOPEFUL_STARTS;
  }

  /**
   * Resolves once a host answers; rejects as `client` throws where there is none within some seconds, or none can be
   * started.
   */
  async ready(): Promise<void> {
    if (this.#isReady) return;
    const isHopeless = this.#isClosing || this.cannotStart || this.#watchTimer === undefined;
    if (!isHopeless) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, this.#options.readyPatienceMs ?? READY_PATIENCE_MS);
        this.#started.once("settled", () => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    this.client();
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#started.emit("settled");
    clearTimeout(this.#restartTimer);
    const host = this.#host;
    if (host !== undefined) {
      // Until it is gone, the watch still ends a host that a query blocks.
      const killer = setTimeout(() => host.child.kill("SIGKILL"), CLOSE_TIMEOUT_MS);
      await host.client.close().catch(() => undefined);
      (host.child.stdio[3] as Duplex | null)?.end();
      await host.exited;
      clearTimeout(killer);
    }
    clearInterval(this.#watchTimer);
  }

  async #start(): Promise<void> {
    const host = this.#spawn();
    this.#host = host;
    try {
      this.#options.onReady(await host.client.open(this.#options.core));
      this.#isReady = true;
      this.#failedStarts = 0;
      this.#started.emit("settled");
    } catch (error) {
      host.child.kill("SIGKILL");
      await host.exited;
      throw error;
    }
  }

  #spawn(): RunningHost {
    const { launch = launchHost } = this.#options;
    const child = launch(this.#options);
    const stream = child.stdio[3] as Duplex;
    const client = new HostClient(stream, (reason) => {
      const running = this.#host;
      if (running?.child === child) this.#end(running, `what it sends cannot be read: ${reason}`, "nobody");
      else child.kill("SIGKILL");
    });
    // The end of the process shows more than the broken stream.
    stream.on("error", () => undefined);
    child.stderr?.on("data", (text: Buffer) => this.#options.log("error", `engine host: ${text.toString().trimEnd()}`));
    const exited = new Promise<void>((resolve) => {
      const onGone = (reason: string, isCrash: boolean) => {
        client.fail(isCrash && host.blame === "nobody" ? "oldest" : host.blame);
        resolve();
        this.#onGone(child, reason);
      };
      child.once("error", (error) => onGone(error.message, false));
      child.once("exit", (code, signal) => {
        // The system ends the largest process when memory is short.
        const isShort = signal === "SIGKILL" && host.residentBytes > SUSPECT_SHARE * this.#options.maxResidentBytes;
        onGone(`it ended with ${signal ?? `code ${code}`}`, isShort || CRASHES.has(String(signal ?? code)));
      });
    });
    const host: RunningHost = { child, client, blame: "nobody", residentBytes: 0, silentMs: 0, exited };
    return host;
  }

  #onGone(child: ChildProcess, reason: string): void {
    const host = this.#host;
    if (host?.child !== child) return;
    const wasReady = this.#isReady;
    this.#host = undefined;
    this.#isReady = false;
    if (this.#isClosing || !wasReady) return;
    this.#options.log("error", `the engine host is gone (${reason}); starting it again`);
    this.#scheduleRestart();
  }

  #scheduleRestart(): void {
    const delayMs = this.#failedStarts === 0 ? 0 : Math.min(100 * 2 ** this.#failedStarts, MAX_RESTART_DELAY_MS);
    this.#restartTimer = setTimeout(() => {
      const startedAt = performance.now();
      this.#start().then(
        () =>
          this.#options.log("info", `the engine host is back after ${Math.round(performance.now() - startedAt)} ms`),
        (error: unknown) => {
          if (this.#isClosing) return;
          this.#options.log("error", `the engine host cannot start: ${error instanceof Error ? error.message : error}`);
          this.#failedStarts++;
          if (this.cannotStart) this.#started.emit("settled");
          this.#scheduleRestart();
        },
      );
    }, delayMs);
  }

  #watch(): void {
    const host = this.#host;
    if (host === undefined || !this.#isReady) return;
    const now = performance.now();
    // Of a time in which this process did not look itself, paused or busy, an idle moment counts: answers may lie
    // there unread.
    host.silentMs += Math.min(now - this.#watchedAtMs, PUNCTUAL_MS);
    if (!this.#isClosing && host.silentMs > UNRESPONSIVE_AFTER_MS) {
      this.#end(host, "it does not answer", "oldest");
      return;
    }
    const overdueSince = host.client.oldestOverdueMs();
    const patienceMs = (this.#options.unstoppableAfterMs ?? UNSTOPPABLE_AFTER_MS) * slowness(loadavg()[0]);
    // A service that could not look for a while itself knows nothing of the host.
    const isPunctual = now - this.#watchedAtMs < PUNCTUAL_MS;
    this.#watchedAtMs = now;
    if (overdueSince !== undefined && now - overdueSince > patienceMs && isPunctual) {
      this.#end(host, "a query cannot be interrupted", "overdue");
      return;
    }
    if (this.#isClosing) return;
    if (now - this.#weighedAtMs >= MEMORY_INTERVAL_MS) {
      this.#weighedAtMs = now;
      void this.#watchMemory(host);
    }
    if (now - this.#pingedAtMs < PING_INTERVAL_MS) return;
    this.#pingedAtMs = now;
    host.client.ping().then(
      () => {
        host.silentMs = 0;
      },
      // A ping that fails is followed by the end of the process, or by the limit above.
      () => undefined,
    );
  }

  async #watchMemory(host: RunningHost): Promise<void> {
    if (host.child.pid === undefined) return;
    const bytes = await residentBytes(host.child.pid);
    if (bytes === undefined || this.#host !== host) return;
    host.residentBytes = bytes;
    if (bytes <= this.#options.maxResidentBytes) return;
    this.#end(host, `it uses ${Math.round(bytes / 2 ** 20)} MB of memory`, "oldest");
  }

  #end(host: RunningHost, reason: string, blame: Blame): void {
    // It may take a while to end.
    if (host.child.killed) return;
    this.#options.log("error", `ending the engine host: ${reason}`);
    host.blame = blame;
    host.child.kill("SIGKILL");
  }
}
