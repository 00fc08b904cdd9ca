import { CliError } from "../context.ts";

/** Names of endpoints, and those of sources, that may become names of files. */
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const sourcePattern = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;

/**
 * The name of an endpoint or a source as reported by a service, which may become a file name. Throws `CliError` for a
 * name that could lead to another folder.
 */
export function checkedName(name: unknown, kind: "endpoint" | "source" = "endpoint"): string {
  const pattern = kind === "source" ? sourcePattern : namePattern;
  if (typeof name === "string" && pattern.test(name)) return name;
  throw new CliError(
    `The service names the ${kind} ${JSON.stringify(name)?.slice(0, 200)}, which no ${kind} can be called; ` +
      "nothing was written",
  );
}
