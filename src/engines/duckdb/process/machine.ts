/** Reports of the machine about a process and about its own load. */
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";

/**
 * A machine with this many times as much to do as it has processors is not slow yet: the queries themselves do that.
 */
const USUAL_LOAD = 1.5;
const MAX_SLOWNESS = 8;

/** The factor by which everything is slower than on an idle machine, from the load of the last minute; at least 1. */
export function slowness(load = 0, processors: number = availableParallelism()): number {
  return Math.min(MAX_SLOWNESS, Math.max(1, load / processors / USUAL_LOAD));
}

/** Resident memory of a process; undefined where the platform does not report it. */
export async function residentBytes(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const match = /^VmRSS:\s+(\d+) kB$/m.exec(status);
  return match === null ? undefined : Number(match[1]) * 1024;
}
