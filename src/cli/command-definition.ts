import type { CliContext } from "./context.ts";
import type { ServiceOptions } from "./service-call.ts";

/** Options of commands that call a running service. */
export interface ServiceCommandOptions extends ServiceOptions {
  readonly json?: boolean;
}

/** Options of commands that name no type of their own. */
export interface CommandOptions extends ServiceCommandOptions {
  readonly filter?: string;
  readonly sources?: string;
  readonly out?: string;
  readonly from?: string;
  readonly force?: boolean;
  readonly prune?: boolean;
  readonly yes?: boolean;
  readonly lql?: string;
  readonly sql?: string;
  readonly parameters?: string;
  readonly project?: string;
  readonly endpoint?: boolean | string;
  readonly alias?: string;
  readonly tenant?: string;
  readonly description?: string;
  readonly retentionDays?: string;
  readonly type?: string;
  readonly config?: string;
  readonly source?: string;
  readonly dryRun?: boolean;
  readonly verify?: boolean;
  readonly keepState?: boolean;
  readonly replaceState?: boolean;
  readonly grace?: string;
  readonly demo?: boolean;
  readonly deep?: boolean;
  readonly keep?: string;
  readonly at?: string;
}

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
  /** Runs it; a method, so that a row can name the type of its own options. */
  run(
    argument: string | undefined,
    options: CommandOptions,
    context: CliContext,
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
