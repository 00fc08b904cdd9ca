import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import type { WebSocket } from "ws";
import { ServiceError } from "../../shared/errors.ts";
import { openSocketOutlet } from "./socket-outlet.ts";

class Socket extends EventEmitter {
  readonly calls: unknown[] = [];
  readonly takers: (() => void)[] = [];
  ping(): void {
    this.calls.push("ping");
  }
  terminate(): void {
    this.calls.push("terminate");
  }
  send(_: string, __: object, taken: () => void): void {
    this.takers.push(taken);
  }
  close(code: number, reason: string): void {
    this.calls.push([code, reason]);
  }
}

function open() {
  const socket = new Socket();
  return { socket, outlet: openSocketOutlet(socket as unknown as WebSocket) };
}

it("a connection that answers no ping and takes nothing until the next is closed", () => {
  const { socket, outlet } = open();
  outlet.beat();
  socket.emit("pong");
  outlet.beat();
  outlet.write("x", () => undefined);
  socket.takers[0]?.();
  outlet.beat();
  expect(socket.calls).toEqual(["ping", "ping", "ping"]);
  outlet.beat();
  expect(socket.calls.at(-1)).toBe("terminate");
});

it("the reason of an end fits into a frame", () => {
  const { socket, outlet } = open();
  outlet.end(new ServiceError("timeout", `${"é".repeat(56)}🙂🙂`));
  expect(socket.calls).toEqual([[1011, `timeout: ${"é".repeat(56)}`]]);
  outlet.end(new ServiceError("unauthorized", "no"));
  expect(socket.calls[1]).toEqual([1008, "unauthorized: no"]);
});
