import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command, CommanderError, Option } from "commander";
import { EngineError } from "../engines/contract/query-engine.ts";
import { UserError } from "../shared/user-error.ts";
import { type CommandDefinition, optionsOf } from "./command-definition.ts";
import { type CliContext, CliError, type CommandContext, print, usageExitCode } from "./context.ts";
import { openSafeOutput } from "./output/safe-output.ts";
import { commandGroups, commands } from "./tables/commands.ts";

/** Runs one command line, without the program's name; resolves with the exit code. Never throws, never exits. */
export async function runCli(args: readonly string[], given: CliContext): Promise<number> {
  const { isRaw, rest } = takeRaw(args);
  const { output, errors } = given;
  const context = isRaw ? given : { ...given, output: openSafeOutput(output), errors: openSafeOutput(errors) };
  try {
    await buildProgram(context).parseAsync(rest, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usageExitCode;
    print(context.errors, describe(error));
    return error instanceof CliError ? error.exitCode : 1;
  }
}

/** `--raw` works with every command, anywhere before a `--`. */
function takeRaw(args: readonly string[]): { readonly isRaw: boolean; readonly rest: string[] } {
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  const rest = args.filter((arg, index) => arg !== "--raw" || index > end);
  return { isRaw: rest.length < args.length, rest };
}

/** An error for the user shows only its message; a fault of ours shows where it happened. */
function describe(error: unknown): string {
  const isForUser = error instanceof UserError || error instanceof EngineError;
  if (error instanceof Error) return isForUser || "code" in error ? error.message : (error.stack ?? error.message);
  return String(error);
}

type CommonOptions = Pick<CommandContext, "json" | "url" | "token">;

const collect = (value: string, previous: readonly string[] = []) => [...previous, value];

function buildProgram(context: CliContext): Command {
  const program = new Command("logweir")
    .description("SQL endpoints over your logs: saved, parameterised GoogleSQL queries served over HTTP")
    .version(readVersion(context.packageDir), "-V, --version")
    .option("--raw", "print control characters unescaped, with any command")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void context.output.write(text),
      writeErr: (text) => void context.errors.write(text),
    })
    .showHelpAfterError("(--help shows how it is used)");
  for (const definition of commands) addCommand(program, definition, context);
  return program;
}

function readVersion(packageDir: string): string {
  return (JSON.parse(readFileSync(join(packageDir, "package.json"), "utf8")) as { readonly version: string }).version;
}

function addCommand(program: Command, definition: CommandDefinition, context: CliContext): void {
  const { argument, examples } = definition;
  const [first = "", second] = definition.name.split(" ");
  const known = program.commands.find((each) => each.name() === first);
  const parent =
    second === undefined ? program : (known ?? program.command(first).description(commandGroups[first] ?? ""));
  const command = parent
    .command(second ?? first)
    .description(definition.description)
    .addHelpText("after", `\nExamples:\n${examples.map((example) => `  ${example}`).join("\n")}`);
  for (const [flags, description, form = {}] of optionsOf(definition)) {
    const option = new Option(flags, description);
    if (form.default !== undefined) option.default(form.default);
    if (form.isRequired === true) option.makeOptionMandatory();
    if (form.isRepeated === true) option.argParser(collect);
    if (form.isRepeated === true && form.isRequired !== true) option.default([]);
    command.addOption(option);
  }
  if (argument !== undefined) command.argument(argument.form, argument.description, argument.default);
  command.action(async () => {
    const all = command.processedArgs.flat().filter((value): value is string => typeof value === "string");
    // An option that the first word has too, such as `--json` of `backup list`, is taken for that one's.
    const options: CommonOptions = command.optsWithGlobals();
    const { json, url, token } = options;
    const run = await definition.load();
    await run({ ...context, json, url, token }, all[0], options, all);
  });
}
