import { CliError } from "../context.ts";

/** Names of endpoints that may become names of files. */
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
/** A part of a path within a backup; names of sources are of the same form. */
const partPattern = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;

/**
 * The name of an endpoint or a source as reported by a service, which may become a file name. Throws `CliError` for a
 * name that could lead to another folder.
 */
export function checkedName(name: unknown, kind: "endpoint" | "source" = "endpoint"): string {
  const pattern = kind === "source" ? partPattern : namePattern;
  if (typeof name === "string" && pattern.test(name)) return name;
  throw new CliError(
    `The service names the ${kind} ${JSON.stringify(name)?.slice(0, 200)}, which no ${kind} can be called; ` +
      "nothing was written",
  );
}

/**
 * The parts of a file's path within a backup, as named by a service or a manifest. Throws `CliError` for a path that
 * could lead outside.
 */
export function checkedParts(path: unknown, where: string): readonly string[] {
  const parts = typeof path === "string" ? path.split("/") : [];
  if (parts.length > 0 && parts.every((part) => partPattern.test(part))) return parts;
  throw new CliError(`${where} names a file outside the backup: ${JSON.stringify(path)?.slice(0, 200)}`);
}
