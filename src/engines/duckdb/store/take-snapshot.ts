import type { StoreSnapshot } from "../../contract/query-engine.ts";
import { unlessAborted } from "../../contract/unless-aborted.ts";
import { findUnusedBlocks } from "../file/unused-blocks.ts";
import type { EngineHost } from "../host/protocol.ts";

/**
 * A snapshot of the host's file. A caller that is gone by the time it is there releases nothing: then it is released
 * here.
 */
export async function takeSnapshot(host: EngineHost, signal: AbortSignal): Promise<StoreSnapshot> {
  const beginning = host.beginSnapshot();
  const { sources, ...file } = await unlessAborted(beginning, signal).catch((error: unknown) => {
    beginning.then(() => host.endSnapshot()).catch(() => undefined);
    throw error;
  });
  const findUnused = () => findUnusedBlocks(file.path);
  return { files: [{ ...file, findUnused }], sources, release: () => host.endSnapshot() };
}
