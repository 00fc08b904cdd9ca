import { UserError } from "../shared/user-error.ts";

/** The environment of a command, besides its arguments. */
export interface CliContext {
  readonly input: NodeJS.ReadableStream;
  readonly output: OutputStream;
  readonly errors: OutputStream;
  /** Where the endpoints and sources that come with Logweir are. */
  readonly packageDir: string;
  readonly workingDir: string;
  /** The environment; the process's own unless a test says otherwise. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** The environment of a command, with the options that most commands have. */
export interface CommandContext extends CliContext {
  /** True for an answer as JSON. */
  readonly json?: boolean | undefined;
  /** Where the service is; LOGWEIR_URL unless given. */
  readonly url?: string | undefined;
  /** An access token; LOGWEIR_TOKEN unless given. */
  readonly token?: string | undefined;
}

export type OutputStream = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

/** The exit code for an invalid command line; failed commands exit with 1. */
export const usageExitCode = 64;

/** The failure of a command; the user sees only its message. */
export class CliError extends UserError {
  override readonly name = "CliError";
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

export function print(stream: NodeJS.WritableStream, text: string): void {
  stream.write(`${text}\n`);
}

export function printJson(stream: NodeJS.WritableStream, value: unknown): void {
  print(stream, JSON.stringify(value, undefined, 2));
}

/** Prints the answer of a command: its value with `--json`, else a text for people, or what a function prints. */
export function printAnswer({ json, output }: CommandContext, value: unknown, shown: string | (() => void)): void {
  if (json === true) printJson(output, value);
  else if (typeof shown === "string") print(output, shown);
  else shown();
}

/** A number with its noun: `1 row`, `2 rows`. */
export function countOf(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** Fails for what was found and printed, if anything: `There is a problem`, `There are 2 problems`. */
export function failForAny({ length }: readonly unknown[], noun: string, exitCode?: number): void {
  if (length > 0) throw new CliError(length === 1 ? `There is a ${noun}` : `There are ${length} ${noun}s`, exitCode);
}
