import { UserError } from "../shared/user-error.ts";

/** What a command works with besides its arguments. */
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

/** Of a command line that cannot be read; 1 is for commands that fail. */
export const usageExitCode = 64;

/** A command that cannot do what it was asked to; the message is all that the user sees. */
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
