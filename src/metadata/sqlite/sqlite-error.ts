import { ServiceError } from "../../shared/errors.ts";
import { codeOf, messageOf } from "../../shared/message-of.ts";
import { UserError } from "../../shared/user-error.ts";

/** Space on the disk has to be freed first. */
const retryAfterSeconds = 30;

/**
 * SQLite's error in the form of the service: of a full disk, `disk_full`, also where the index beside the log cannot
 * grow; all others are unchanged.
 */
export function fromDriver(error: unknown): unknown {
  if (!/^SQLITE_(?:FULL|IOERR_WRITE|IOERR_SHMSIZE)/.test(codeOf(error) ?? "")) return error;
  return new ServiceError("disk_full", "The disk of the data folder is full", { retryAfterSeconds, cause: error });
}

/** The message for the operator of a file that cannot be opened: damage is only what SQLite says of its content. */
export function describeOpenFailure(path: string, error: unknown): UserError {
  if (error instanceof UserError) return error;
  const message = messageOf(error);
  if (/^SQLITE_(?:CORRUPT|NOTADB)/.test(codeOf(error) ?? "")) return damaged(path, message, error);
  return new UserError(`${path} cannot be used: ${message}; nothing was changed. Look whether its disk is full`, {
    cause: error,
  });
}

/** The message for the operator of a file with other content than metadata. */
export function damaged(path: string, why: string, cause?: unknown): UserError {
  return new UserError(
    `${path} is damaged or is no metadata of this service (${why}); nothing was changed. Bring a backup back ` +
      `with \`logweir restore\`, or move the file away: tokens and endpoints made over HTTP are in it`,
    cause === undefined ? {} : { cause },
  );
}
