import type { CommandContext } from "./context.ts";

/** An option: `--flag` or `--flag <value>`, its description, and how it may be given. */
export type CommandOption = readonly [
  flags: string,
  description: string,
  form?: { readonly default?: string; readonly isRequired?: true; readonly isRepeated?: true },
];

/** A command of two words, or one. */
export interface CommandDefinition {
  readonly name: string;
  /** As the help shows it: `<name>` must be there, `[name]` may, `<name...>` may be several. */
  readonly argument?: { readonly form: string; readonly description: string; readonly default?: string };
  readonly description: string;
  /** In addition to those of `optionsOf`. */
  readonly options?: readonly CommandOption[];
  /** True when it works on files only and has no `--url` and `--token`. */
  readonly isLocal?: boolean;
  /** True when its result has no `--json`. */
  readonly isSilent?: boolean;
  /** The page below `docs/` that says more. */
  readonly page?: string;
  readonly examples: readonly string[];
  /** Loads the function that runs it: most commands need a small part of the code. */
  load(): Promise<RunCommand>;
}

/** Runs a command. */
export type RunCommand = CommandMethod["run"];

/** A method, so that a command can name the type of its own options, and an argument that must be there. */
interface CommandMethod {
  run(
    context: CommandContext,
    argument: string | undefined,
    options: object,
    all: readonly string[],
  ): Promise<void> | void;
}

/** All options of a command, those included that every command has, or every command that calls a service. */
export function optionsOf({ options = [], isLocal, isSilent }: CommandDefinition): readonly CommandOption[] {
  return [
    ...options,
    ...(isSilent === true ? [] : [["--json", "as JSON"] as const]),
    ...(isLocal === true
      ? []
      : ([
          ["--url <url>", "of the service; LOGWEIR_URL by default"],
          ["--token <token>", "access token; LOGWEIR_TOKEN by default"],
        ] as const)),
  ];
}
