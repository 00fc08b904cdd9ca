/** One process at a time works on a folder; a killed process no longer holds it. */
import { open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "../../../shared/message-of.ts";
import { isRunning } from "../../../shared/system/is-running.ts";
import { UserError } from "../../../shared/user-error.ts";

/** Distinguishes a process from a later one with the same number: by its start time, if the system provides it. */
async function readStart(pid: number): Promise<string | undefined> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, "utf8");
    // The command in parentheses may hold anything; the start is the 22nd value of all.
    return text.slice(text.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

/** The process that wrote the lock, if it still runs. */
async function readHolder(path: string): Promise<number | undefined> {
  const [pid = "", start = ""] = (await readFile(path, "utf8").catch(() => "")).trim().split(" ");
  const holder = Number(pid);
  if (!Number.isSafeInteger(holder) || holder <= 0 || holder === process.pid || !isRunning(holder)) return undefined;
  const now = await readStart(holder);
  return now === undefined || start === "" || now === start ? holder : undefined;
}

/** Does another running process have the folder? */
export async function isLocked(folder: string): Promise<boolean> {
  return (await readHolder(join(folder, "lock"))) !== undefined;
}

/**
 * Locks the folder for this process, and returns a function that unlocks it. Throws `UserError` when another running
 * process has it.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, "lock");
  for (let attempt = 0; ; attempt++) {
    try {
      const file = await open(path, "wx");
      // On a full disk it stays empty, and keeps nobody out.
      await file.writeFile(`${process.pid} ${(await readStart(process.pid)) ?? ""}\n`).catch(() => undefined);
      await file.close();
      return () => rm(path, { force: true });
    } catch (error) {
      if (codeOf(error) !== "EEXIST" || attempt > 2) throw error;
    }
    const holder = await readHolder(path);
    if (holder !== undefined) {
      throw new UserError(`The folder ${folder} is used by the process ${holder}: each service needs one of its own`);
    }
    await rm(path, { recursive: true, force: true });
  }
}
