import type { LogLoss } from "../../contract/event-store.ts";

/** Describes the loss in the store's log, and what to do, for the operators. */
export function describeLogLoss({ foundAt, acknowledgedBytes, foundBytes }: LogLoss): string {
  const count = (bytes: number) => bytes.toLocaleString("en");
  return (
    `Acknowledged events are lost: when the store was opened at ${foundAt}, its write-ahead log had ` +
    `${count(foundBytes)} bytes, and ` +
    (`${count(acknowledgedBytes)} when its last events were acknowledged. Find out what cut the file (the ` +
      "disk, a copy, a file system check), ") +
    "and send those events again, or bring a backup back with `logweir restore`"
  );
}
