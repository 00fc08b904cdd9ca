/** A proxy between nodes and a server that can behave like a bad network. */

import type { AddressInfo } from "node:net";
import { connect, createServer, type Server, type Socket } from "node:net";

/** `slow` holds up each piece, `silent` swallows what the connections of that moment carry and never ends them. */
export type LineState = "open" | "slow" | "silent" | "cut";

const SLOW_MS = 400;

export class TroubledLine {
  readonly #target: number;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  #state: LineState = "open";

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer({ allowHalfOpen: false }, (socket) => this.#join(socket));
  }

  /** To a port of this machine. */
  static async open(target: number): Promise<TroubledLine> {
    const line = new TroubledLine(target);
    await new Promise<void>((resolve) => line.#server.listen(0, "127.0.0.1", resolve));
    return line;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  set(state: LineState): void {
    this.#state = state;
    for (const pair of this.#pairs) {
      if (state === "cut") pair.end();
      // A connection that fell silent stays silent.
      if (state === "silent") pair.isSilent = true;
    }
  }

  async close(): Promise<void> {
    for (const pair of this.#pairs) pair.end();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(near: Socket): void {
    if (this.#state === "cut") {
      near.resetAndDestroy();
      return;
    }
    const pair = new Pair(near, connect(this.#target, "127.0.0.1"), () => this.#state);
    pair.isSilent = this.#state === "silent";
    this.#pairs.add(pair);
    near.once("close", () => this.#pairs.delete(pair));
  }
}

class Pair {
  isSilent = false;
  readonly #near: Socket;
  readonly #far: Socket;

  constructor(near: Socket, far: Socket, stateOf: () => LineState) {
    this.#near = near;
    this.#far = far;
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      // Pieces stay in order: each waits for the previous one.
      let before: Promise<void> = Promise.resolve();
      from.on("data", (piece: Buffer) => {
        if (this.isSilent) return;
        const pause = stateOf() === "slow" ? SLOW_MS : 0;
        before = before.then(() => new Promise((resolve) => setTimeout(resolve, pause)));
        before = before.then(() => void (this.isSilent || to.destroyed || to.write(piece)));
      });
      from.on("error", () => undefined);
      from.once("close", () => void (this.isSilent ? undefined : before.then(() => to.destroy())));
    }
  }

  end(): void {
    this.#near.resetAndDestroy();
    this.#far.destroy();
  }
}
