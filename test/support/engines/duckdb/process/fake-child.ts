/** An engine host's process that is none, for tests of what is done about it. */
import { EventEmitter } from "node:events";
import { Duplex, PassThrough } from "node:stream";
import { FrameReader, writeFrame } from "../../../../../src/engines/duckdb/host/frames.ts";
import type { HostRequest } from "../../../../../src/engines/duckdb/host/protocol.ts";

/** A host's answer to a request: a value, an error, or nothing. */
export type Answer = (request: HostRequest) => object | undefined;

/** Answers requests in this process. It ends where it is killed and, unless told otherwise, with its stream. */
export class FakeChild extends EventEmitter {
  readonly pid = process.pid;
  readonly stderr = new PassThrough();
  readonly requests: HostRequest[] = [];
  readonly signals: string[] = [];
  readonly fromHost = new PassThrough();
  readonly stdio: readonly unknown[];
  readonly launchedAtMs = performance.now();
  isStreamEnded = false;
  killed = false;
  /** As long as the system takes to end a process that was killed. */
  isSlowToEnd = false;

  constructor(answer: Answer, exitsByItself = true) {
    super();
    const toHost = new PassThrough();
    this.stdio = [null, null, this.stderr, Duplex.from({ readable: this.fromHost, writable: toHost })];
    const reader = new FrameReader();
    toHost.on("data", (piece: Buffer) => {
      for (const { head } of reader.push(piece)) {
        const request = head as HostRequest;
        this.requests.push(request);
        const answered = answer(request);
        if (answered !== undefined) writeFrame(this.fromHost, { id: request.id, ...answered });
      }
    });
    toHost.on("end", () => {
      this.isStreamEnded = true;
      if (exitsByItself) this.emit("exit", 0, null);
    });
  }

  kill(signal: string): boolean {
    this.signals.push(signal);
    this.killed = true;
    if (!this.isSlowToEnd) this.emit("exit", null, signal);
    return true;
  }
}
