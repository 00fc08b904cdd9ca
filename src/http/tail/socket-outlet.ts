import type { WebSocket } from "ws";
import type { ErrorCode } from "../../shared/error-catalogue.ts";
import type { TailOutlet } from "./tail-stream.ts";

/** Codes of RFC 6455, section 7.4.1. */
const closeCodes: Readonly<Partial<Record<ErrorCode, number>>> = {
  shutting_down: 1001,
  unauthorized: 1008,
  insufficient_scope: 1008,
  pinned_parameter: 1008,
};
const internalError = 1011;
/** Bytes of a reason at most. */
const maxReasonBytes = 123;

/** A WebSocket to a follower. One that takes nothing and answers no ping for as long as between two is closed. */
export function openSocketOutlet(socket: WebSocket): TailOutlet {
  let isAlive = true;
  const noteLife = () => {
    isAlive = true;
  };
  socket.on("pong", noteLife);
  return {
    waitingBytes: () => socket.bufferedAmount,
    isClosed: () => socket.readyState !== socket.OPEN,
    write: (message, taken) =>
      socket.send(message, { binary: false }, () => {
        noteLife();
        taken();
      }),
    beat() {
      if (!isAlive) return socket.terminate();
      isAlive = false;
      socket.ping();
    },
    end: ({ code, message }) => socket.close(closeCodes[code] ?? internalError, cutReason(`${code}: ${message}`)),
    onClose: (callback) => void socket.once("close", callback),
  };
}

function cutReason(text: string): string {
  let reason = text;
  while (Buffer.byteLength(reason) > maxReasonBytes) reason = reason.slice(0, -1).toWellFormed();
  return reason;
}
