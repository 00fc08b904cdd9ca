import { codeOf } from "../message-of.ts";

/** True for the number of a process that runs on this machine, whoever's it is. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}
