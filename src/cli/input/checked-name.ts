import { CliError } from "../context.ts";

/** Of endpoints: what a name may be, and so a file's. */
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
/** A part of a path within a backup. */
const partPattern = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;

/**
 * The name of an endpoint that a service told of, which may become a file's. Throws `CliError` for what could lead
 * elsewhere.
 */
export function checkedName(name: unknown): string {
  if (typeof name === "string" && namePattern.test(name)) return name;
  throw new CliError(
    `The service names an endpoint ${JSON.stringify(name)?.slice(0, 200)}, which no endpoint can be called; ` +
      "nothing was written",
  );
}

/**
 * The parts of a file's path within a backup, as a service or a manifest names it. Throws `CliError` for what could
 * lead outside.
 */
export function checkedParts(path: unknown, where: string): readonly string[] {
  const parts = typeof path === "string" ? path.split("/") : [];
  if (parts.length > 0 && parts.every((part) => partPattern.test(part))) return parts;
  throw new CliError(`${where} names a file outside the backup: ${JSON.stringify(path)?.slice(0, 200)}`);
}
