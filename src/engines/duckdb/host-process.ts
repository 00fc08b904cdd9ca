/** Keeps the engine host running: starts it, watches it, ends it when it misbehaves, and starts it again. */
import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { availableParallelism, loadavg } from "node:os";
import type { Duplex } from "node:stream";
import { setTimeout as setTimeoutPromise } from "node:timers/promises";
import { EngineError } from "../engine.ts";
import type { CoreOptions, SourceSchema } from "./host/protocol.ts";
import { HostClient } from "./host-client.ts";
import { findScript } from "./script-path.ts";

export interface HostProcessOptions {
  readonly core: CoreOptions;
  /** Resident memory of the host beyond which it is ended. Watched on Linux. */
  readonly maxResidentBytes: number;
  /** How long a cancelled query may go on after its deadline before the host is ended; 600 ms by default. */
  readonly unstoppableAfterMs?: number;
  /** How long to wait for a store that another process holds; three seconds by default. */
  readonly lockPatienceMs?: number;
  /** The host's script; by default the bundle beside this one, or of the checkout. */
  readonly hostPath?: string;
  readonly log: (level: "info" | "warn" | "error", message: string) => void;
  /** Called whenever the host is ready, before any request reaches it. */
  readonly onReady: (sources: readonly SourceSchema[]) => void;
}

const WATCH_INTERVAL_MS = 50;
const MEMORY_INTERVAL_MS = 250;
const PING_INTERVAL_MS = 1000;
/** A host that answers no ping for so long hangs. */
const UNRESPONSIVE_AFTER_MS = 15_000;
/** A cancelled query that goes on for so long after its deadline cannot be interrupted. */
const UNSTOPPABLE_AFTER_MS = 600;
const CLOSE_TIMEOUT_MS = 30_000;
/** Between tries to start a host that cannot start; one that was running is started again at once. */
const MAX_RESTART_DELAY_MS = 5000;

const LOCK_PATIENCE_MS = 3000;
const LOCK_RETRY_MS = 200;

/** A machine with this many times as much to do as it has processors is not slow yet: the queries themselves do that. */
const USUAL_LOAD = 1.5;
const MAX_SLOWNESS = 8;

/** How many times as long as on an idle machine everything takes, from the load of the last minute; at least 1. */
export function slowness(load = 0, processors: number = availableParallelism()): number {
  return Math.min(MAX_SLOWNESS, Math.max(1, load / processors / USUAL_LOAD));
}

function isLocked(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof Error && error.cause.message.includes("Could not set lock");
}

/** Resident memory of a process; undefined where the platform does not tell. */
export async function residentBytes(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const match = /^VmRSS:\s+(\d+) kB$/m.exec(status);
  return match === null ? undefined : Number(match[1]) * 1024;
}

interface RunningHost {
  readonly child: ChildProcess;
  readonly client: HostClient;
  /** Resolves when the process is gone. */
  readonly exited: Promise<void>;
  answeredAtMs: number;
}

export class HostProcess {
  readonly #options: HostProcessOptions;
  #host: RunningHost | undefined;
  #isReady = false;
  #isClosing = false;
  #failedStarts = 0;
  #restartTimer: NodeJS.Timeout | undefined;
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
        await setTimeoutPromise(LOCK_RETRY_MS);
      }
    }
    this.#watchTimer = setInterval(() => this.#watch(), WATCH_INTERVAL_MS);
    this.#watchTimer.unref();
  }

  /** The host that answers now. Throws `EngineError` `unavailable` while there is none. */
  client(): HostClient {
    if (this.#host === undefined || !this.#isReady) {
      throw new EngineError("unavailable", "The engine is restarting", { retryAfterSeconds: 1 });
    }
    return this.#host.client;
  }

  /** Process id of the host, while there is one. */
  get pid(): number | undefined {
    return this.#host?.child.pid;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#restartTimer);
    const host = this.#host;
    if (host !== undefined) {
      // Until it is gone, the watch goes on to end a host that a query holds up.
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
      const sources = await host.client.open(this.#options.core);
      this.#options.onReady(sources);
      this.#isReady = true;
      this.#failedStarts = 0;
    } catch (error) {
      host.child.kill("SIGKILL");
      await host.exited;
      throw error;
    }
  }

  #spawn(): RunningHost {
    const child = spawn(process.execPath, [this.#options.hostPath ?? findScript("engine-host.js")], {
      stdio: ["ignore", "ignore", "pipe", "pipe"],
      // No secrets of the service; every query and commit holds one thread of the pool while it waits. Each of these
      // threads would keep a heap of its own for what it freed.
      env: { UV_THREADPOOL_SIZE: "32", TZ: "UTC", MALLOC_ARENA_MAX: "2" },
    });
    const stream = child.stdio[3] as Duplex;
    const client = new HostClient(stream);
    // The end of the process tells more than the broken stream.
    stream.on("error", () => undefined);
    child.stderr?.on("data", (text: Buffer) => this.#options.log("error", `engine host: ${text.toString().trimEnd()}`));
    const now = performance.now();
    const exited = new Promise<void>((resolve) => {
      const onGone = (reason: string) => {
        client.fail(new EngineError("unavailable", "The engine stopped and is restarting", { retryAfterSeconds: 1 }));
        resolve();
        this.#onGone(child, reason);
      };
      child.once("error", (error) => onGone(error.message));
      child.once("exit", (code, signal) => onGone(`it ended with ${signal ?? `code ${code}`}`));
    });
    return { child, client, answeredAtMs: now, exited };
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
          this.#scheduleRestart();
        },
      );
    }, delayMs);
  }

  #watch(): void {
    const host = this.#host;
    if (host === undefined || !this.#isReady) return;
    const now = performance.now();
    if (!this.#isClosing && now - host.answeredAtMs > UNRESPONSIVE_AFTER_MS) {
      this.#end(host, "it does not answer");
      return;
    }
    const overdueSince = host.client.oldestOverdueMs();
    const patienceMs = (this.#options.unstoppableAfterMs ?? UNSTOPPABLE_AFTER_MS) * slowness(loadavg()[0]);
    // A service that could not look for a while itself knows nothing of the host.
    const isPunctual = now - this.#watchedAtMs < 4 * WATCH_INTERVAL_MS;
    this.#watchedAtMs = now;
    if (overdueSince !== undefined && now - overdueSince > patienceMs && isPunctual) {
      this.#end(host, "a query cannot be interrupted");
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
        host.answeredAtMs = performance.now();
      },
      // A ping that fails is followed by the end of the process, or by the limit above.
      () => undefined,
    );
  }

  async #watchMemory(host: RunningHost): Promise<void> {
    if (host.child.pid === undefined) return;
    const bytes = await residentBytes(host.child.pid);
    if (bytes === undefined || bytes <= this.#options.maxResidentBytes || this.#host !== host) return;
    // A lone query is the one to blame; among several nobody can tell.
    const isBlamed = host.client.queryCount === 1;
    const restarting = new EngineError("unavailable", "The engine is restarting", { retryAfterSeconds: 1 });
    const blamed = new EngineError("memory_exceeded", "The query needs more memory than it may use");
    host.client.fail(restarting, isBlamed ? blamed : restarting);
    this.#end(host, `it uses ${Math.round(bytes / 2 ** 20)} MB of memory`);
  }

  #end(host: RunningHost, reason: string): void {
    this.#options.log("error", `ending the engine host: ${reason}`);
    host.child.kill("SIGKILL");
  }
}
