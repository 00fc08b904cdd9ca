/** Limits of a token as options of the command line. */
import { type LimitName, limitNames } from "../shared/budget.ts";

/** Values as they were typed, by the limit's name. */
export type LimitTexts = Readonly<Record<string, string | undefined>>;

/** The option of a limit: `--max-rows` for `max_rows`. */
export function limitOption(name: LimitName): string {
  return `--${name.replaceAll("_", "-")}`;
}

/** The options of limits among a command's options, which commander names in camel case. */
export function readLimits(options: Readonly<Record<string, unknown>>): LimitTexts {
  return Object.fromEntries(
    limitNames.map((name) => {
      const value = options[name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())];
      return [name, typeof value === "string" ? value : undefined];
    }),
  );
}
