import { createSocket, type Socket as DatagramSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, createServer, isIPv6, type Server, type Socket } from "node:net";
import type { LogEvent } from "../../engines/contract/query-engine.ts";
import { readEvents } from "../parse-events.ts";
import { SyslogFrames } from "../protocols/syslog/frames.ts";
import { readSyslogMessage } from "../protocols/syslog/read-message.ts";
import { MessageQueue, type QueueOptions } from "./queue.ts";

const maxConnections = 1_000;
/** The time for storing pending messages once the service stops, in milliseconds. */
const closeMs = 5_000;

export interface SyslogOptions extends QueueOptions {
  readonly host: string;
  /** The port of TCP and UDP; 0 takes any free one. */
  readonly port: number;
  /** Connections at once; one more ends that which was silent longest. */
  readonly maxSockets?: number;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** Undefined for a message that must not be stored; otherwise a function that undoes the admission. */
  readonly admit?: (event: LogEvent) => (() => void) | undefined;
}

export interface SyslogListener {
  readonly port: number;
  /** Messages since the start. */
  readonly counts: { readonly stored: number; readonly dropped: number };
  /** Stores received messages, and frees the port. */
  close(): Promise<void>;
}

/** Listens for syslog on one port, over TCP and UDP. Rejects where the port is taken. */
export async function listenForSyslog(options: SyslogOptions): Promise<SyslogListener> {
  const { maxSockets = maxConnections } = options;
  const queue = new MessageQueue(options);
  const { admit = () => () => undefined } = options;
  const take = (message: string) => {
    for (const event of toEvents(message, options.nowMs())) {
      const giveBack = admit(event);
      if (giveBack !== undefined && queue.add(event, message.length)) continue;
      giveBack?.();
      queue.drop(1);
    }
  };
  /** Those that were silent longest come first. */
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    // A connection costs a sender nothing and needs no token: idle ones must not keep others out.
    const [silent] = sockets.size < maxSockets ? [] : sockets;
    silent?.destroy();
    if (silent !== undefined && sockets.delete(silent)) queue.wake();
    sockets.add(socket);
    const hear = async (messages: readonly string[]) => {
      if (sockets.delete(socket)) sockets.add(socket);
      for (const message of messages) {
        // What a connection waits with is let go when the connection is: others may come without end.
        while (queue.isFull && sockets.has(socket)) await queue.change();
        take(message);
      }
    };
    void readConnection(socket, hear).finally(() => sockets.delete(socket));
  });
  server.listen(options.port, options.host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const datagrams = createSocket(isIPv6(options.host) ? "udp6" : "udp4");
  datagrams.on("message", (bytes) => toMessages(bytes).forEach(take));
  try {
    datagrams.bind(port, options.host);
    await once(datagrams, "listening");
  } catch (error) {
    server.close();
    throw error;
  }
  datagrams.on("error", (error) => options.warn(`syslog over UDP: ${error.message}`));
  const close = async () => {
    await closeSockets(server, datagrams, sockets);
    await queue.close(closeMs);
  };
  let closed: Promise<void> | undefined;
  return { port, counts: queue.counts, close: () => (closed ??= close()) };
}

/** Reads a connection to its end, at the speed at which messages are stored. */
async function readConnection(socket: Socket, take: (messages: readonly string[]) => Promise<void>): Promise<void> {
  const frames = new SyslogFrames();
  try {
    for await (const bytes of socket) await take(frames.push(bytes as Buffer));
  } catch {
    // The sender disconnected midway; the received part is processed.
  }
  await take(frames.finish());
}

/** A datagram is a message, though some senders put several lines into one. */
function toMessages(bytes: Uint8Array): readonly string[] {
  const frames = new SyslogFrames();
  return [...frames.push(bytes), ...frames.finish()];
}

function toEvents(message: string, nowMs: number): readonly LogEvent[] {
  const nowUs = BigInt(nowMs) * 1000n;
  return readEvents([readSyslogMessage(message, nowUs)], nowUs).events;
}

async function closeSockets(server: Server, datagrams: DatagramSocket, sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = [once(server, "close"), once(datagrams, "close")];
  datagrams.close();
  server.close();
  for (const socket of sockets) socket.destroy();
  await Promise.all(closed);
}
