/** Limits of a token as options of the command line. */
import type { LimitName } from "../shared/budget.ts";

/** The option of a limit: `--max-rows` for `max_rows`. */
export function limitOption(name: LimitName): string {
  return `--${name.replaceAll("_", "-")}`;
}

/** The value of a limit's option as it was typed; commander names options in camel case. */
export function readLimit(name: LimitName, options: Readonly<Record<string, unknown>>): string | undefined {
  const value = options[name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())];
  return typeof value === "string" ? value : undefined;
}
