import type { CliContext } from "./context.ts";
import type { ServiceOptions } from "./service-call.ts";

/** Options of commands that call a running service. */
export interface ServiceCommandOptions extends ServiceOptions {
  readonly json?: boolean;
}

/** Every option that a command of the list below may declare. */
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
  readonly project?: string;
  readonly endpoint?: boolean | string;
  readonly alias?: string;
  readonly tenant?: string;
  readonly description?: string;
  readonly retentionDays?: string;
  readonly to?: string;
  readonly type?: string;
  readonly config?: string;
  readonly source?: string;
  readonly dryRun?: boolean;
  readonly verify?: boolean;
  readonly keepState?: boolean;
  readonly replaceState?: boolean;
}

/** A command of two words, or one. */
export interface CommandDefinition {
  readonly name: string;
  /** As the help shows it: `<name>` must be there, `[name]` may. */
  readonly argument?: { readonly form: string; readonly description: string; readonly default?: string };
  readonly description: string;
  /** In addition to `--json`: `--flag` or `--flag <value>`, and its description. */
  readonly options?: readonly (readonly [flags: string, description: string])[];
  /** True when it works on files only and has no `--url` and `--token`. */
  readonly isLocal?: boolean;
  readonly examples: readonly string[];
  readonly run: (argument: string | undefined, options: CommandOptions, context: CliContext) => Promise<void>;
}
