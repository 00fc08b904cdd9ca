import { codeOf } from "./message-of.ts";

/** An error of the user's making: its message alone says what is wrong and what to do. */
export class UserError extends Error {}

/** Words the failure of a full disk, or of a quota: where, what became of the work, and what to do; others as they are. */
export function explainFullDisk(error: unknown, place: string, effect: string): unknown {
  const code = codeOf(error);
  if (code !== "ENOSPC" && code !== "EDQUOT") return error;
  return new UserError(`The disk of ${place} is full: ${effect}`, { cause: error });
}
