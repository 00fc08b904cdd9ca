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
