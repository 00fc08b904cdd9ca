import { join } from "node:path";
import type { BenchOptions } from "./options.ts";
import { startClickhouse } from "./peers/clickhouse/clickhouse.ts";
import { type LogweirPeer, startLogweir } from "./peers/logweir.ts";
import type { MissingPeer, Peer } from "./peers/peer.ts";
import { startPostgres } from "./peers/postgres/postgres.ts";

export interface OpenPeers {
  readonly logweir: LogweirPeer;
  /** All that run, the service first. */
  readonly all: readonly Peer[];
  /** Why others do not. */
  readonly notices: readonly string[];
  stop(): Promise<void>;
}

/** Starts the service and the peers that were asked for, on folders of their own below `options.folder`/`part`. */
export async function openPeers(options: BenchOptions, part: string): Promise<OpenPeers> {
  const folder = join(options.folder, part);
  const running: Peer[] = [];
  const stop = async () => {
    for (const peer of running) await peer.stop();
  };
  try {
    const logweir = await startLogweir(folder, options.plan.endMs);
    running.push(logweir);
    const notices: string[] = [];
    for (const name of options.peers) {
      const peer = await startPeer(name, folder, options);
      if ("missing" in peer) notices.push(peer.missing);
      else running.push(peer);
    }
    return { logweir, all: running, notices, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function startPeer(
  name: "postgres" | "clickhouse",
  folder: string,
  { chdbFolder }: BenchOptions,
): Promise<Peer | MissingPeer> {
  return name === "postgres" ? startPostgres(folder) : startClickhouse(folder, chdbFolder);
}
