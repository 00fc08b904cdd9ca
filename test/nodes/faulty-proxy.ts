import type { AddressInfo } from "node:net";
import { connect, createServer, type Server, type Socket } from "node:net";

/** A connection to a server that can be made slow, or silently dead. */
export interface FaultyProxy {
  readonly port: number;
  /** The delay of every packet, each way, in milliseconds. */
  delayMs: number;
  /** From now on nothing passes over the existing connections; new ones work. */
  swallow(): void;
  close(): Promise<void>;
}

/** Listens for connections to a port of this machine. */
export async function startProxy(port: number): Promise<FaultyProxy> {
  const pairs = new Set<{ readonly sockets: readonly Socket[]; isDead: boolean }>();
  const proxy = { delayMs: 0 };
  const server: Server = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    const pair = { sockets: [near, far], isDead: false };
    pairs.add(pair);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      const later = (work: () => void) => setTimeout(() => pair.isDead || work(), proxy.delayMs);
      from.on("data", (chunk) => later(() => to.write(chunk)));
      from.on("close", () => later(() => to.destroy()));
      from.on("error", () => undefined);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(proxy, {
    port: (server.address() as AddressInfo).port,
    swallow() {
      for (const pair of pairs) pair.isDead = true;
    },
    async close() {
      for (const socket of [...pairs].flatMap(({ sockets }) => sockets)) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
