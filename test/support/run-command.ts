import { PassThrough, Readable } from "node:stream";
import type { CliContext } from "../../src/cli/context.ts";
import { runCli } from "../../src/cli/run-cli.ts";

/** The surroundings of a command; by default no environment, no input, in the checkout. */
export interface CommandOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly workingDir?: string;
}

/** How a command went. */
export interface Outcome {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/** A context of a command, and what was written into it since it was last asked. */
export interface TestContext {
  readonly context: CliContext;
  readOutput(): string;
  readErrors(): string;
}

export function createContext({ environment = {}, input = "", workingDir }: CommandOptions = {}): TestContext {
  const [output, errors] = [new PassThrough(), new PassThrough()];
  const places = { packageDir: process.cwd(), workingDir: workingDir ?? process.cwd() };
  const read = (stream: PassThrough) => (stream.read() as Buffer | null)?.toString() ?? "";
  return {
    context: { input: Readable.from([Buffer.from(input)]), output, errors, ...places, environment },
    readOutput: () => read(output),
    readErrors: () => read(errors),
  };
}

/** Runs `logweir` with these arguments in this process, which takes a fraction of the time of one of its own. */
export async function runCommand(args: readonly string[], options?: CommandOptions): Promise<Outcome> {
  const { context, readOutput, readErrors } = createContext(options);
  const code = await runCli(args, context);
  return { code, output: readOutput(), errors: readErrors() };
}

/** Returns the command's output; throws its error output if it fails. */
export async function outputOf(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const { code, output, errors } = await runCommand(args, { environment });
  if (code !== 0) throw new Error(errors);
  return output;
}
