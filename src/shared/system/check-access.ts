import { accessSync, constants, statSync } from "node:fs";

/** Checks a kind of access to a path; throws as `accessSync` does. */
export type Access = (path: string, mode: number) => void;

function explain(path: string, code: string | undefined): string | undefined {
  if (code === "ENOENT") return undefined;
  if (code === "EROFS") {
    return (
      `${path} is on a read-only file system; nothing was changed. Mount it for writing, or choose another ` +
      "folder with LOGWEIR_DATA_DIR"
    );
  }
  const user = process.getuid?.();
  const who = user === undefined ? "this user" : `user ${user}, whom this process runs as,`;
  return (
    `${path} cannot be read and written by ${who} (${code}); nothing was changed. Grant that, or choose another ` +
    "folder with LOGWEIR_DATA_DIR"
  );
}

/** For each existing path that cannot be read and written: the reason, and a remedy. */
export function findInaccessible(paths: readonly string[], access: Access = accessSync): readonly string[] {
  return paths.flatMap((path) => {
    try {
      access(path, constants.R_OK | constants.W_OK);
      return [];
    } catch (error) {
      return explain(path, (error as NodeJS.ErrnoException).code) ?? [];
    }
  });
}

/** For each path where something else than a file is: that, and a remedy. */
export function findNoFiles(paths: readonly string[]): readonly string[] {
  const isOther = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === false;
  return paths.filter(isOther).map((path) => `${path} is no file; nothing was changed. Move it away`);
}
