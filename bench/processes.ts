/** Memory of process trees and sizes of folders, read from Linux's /proc; elsewhere memory is not known. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function childrenOf(pid: number): number[] {
  const text = readText(`/proc/${pid}/task/${pid}/children`).trim();
  return text === "" ? [] : text.split(" ").map(Number);
}

/** The process and all below it. */
export function treePids(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(treePids)];
}

function readKilobytes(path: string, name: string): number {
  const match = new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(readText(path));
  return Number(match?.[1] ?? 0);
}

/**
 * Memory of a process and all below it. Shared pages count once (PSS), so that PostgreSQL's buffers are not
 * multiplied.
 */
export function treeMemoryBytes(pid: number): number {
  return treePids(pid).reduce((sum, each) => sum + readKilobytes(`/proc/${each}/smaps_rollup`, "Pss") * 1_024, 0);
}

/** Resident memory of one process alone. */
export function residentBytes(pid: number): number {
  return readKilobytes(`/proc/${pid}/status`, "VmRSS") * 1_024;
}

/** Linux counts processors' time in hundredths of a second, whatever its clock. */
const ticksPerSecond = 100;

/** Processor time of one process since it began. On a busy machine it tells more than the clock. */
export function cpuSeconds(pid: number): number {
  // The command's name may hold spaces; the fields after its parenthesis do not. Times are fields 14 and 15.
  const fields = readText(`/proc/${pid}/stat`).split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / ticksPerSecond;
}

/** Processor time of a process and all below it. */
export function treeCpuSeconds(pid: number): number {
  return treePids(pid).reduce((sum, each) => sum + cpuSeconds(each), 0);
}

const restSampleMs = 500;
/** The share of one processor above which a database is not idle. */
const restShare = 0.1;
const maxRestMs = 20_000;

/** Waits until the process trees have no work left over, such as merging what was loaded; at most twenty seconds. */
export async function waitForRest(pids: readonly number[]): Promise<void> {
  const spent = () => pids.reduce((sum, pid) => sum + treeCpuSeconds(pid), 0);
  const giveUpAt = performance.now() + maxRestMs;
  for (let before = spent(); performance.now() < giveUpAt; ) {
    await new Promise((resolve) => setTimeout(resolve, restSampleMs));
    const after = spent();
    if (after - before < (restShare * restSampleMs) / 1_000) return;
    before = after;
  }
}

export interface MemoryWatch {
  /** The highest sum that was seen. */
  peakBytes(): number;
  stop(): void;
}

const sampleMs = 500;

/** Looks at a process tree twice a second until it is stopped. */
export function watchMemory(pid: number): MemoryWatch {
  let peak = treeMemoryBytes(pid);
  const timer = setInterval(() => {
    peak = Math.max(peak, treeMemoryBytes(pid));
  }, sampleMs);
  timer.unref();
  return { peakBytes: () => peak, stop: () => clearInterval(timer) };
}

/** Returns the disk space of a folder's files. */
export function folderBytes(folder: string): number {
  let sum = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    // Files come and go beside a running database.
    sum += (statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.blocks ?? 0) * 512;
  }
  return sum;
}
