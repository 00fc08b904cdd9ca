import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { Command, CommanderError } from "commander";
import { redactionPolicies } from "../access/token.ts";
import { EngineError } from "../engines/contract/query-engine.ts";
import { ingestLimitNames, limitDefinitions, limitNames } from "../shared/budget.ts";
import { UserError } from "../shared/user-error.ts";
import type { CommandOptions } from "./command-definition.ts";
import type { BackupOptions } from "./commands/backup.ts";
import type { DoctorOptions } from "./commands/doctor.ts";
import type { ImportOptions } from "./commands/import.ts";
import type { QueryOptions } from "./commands/query.ts";
import type { ServeOptions } from "./commands/serve.ts";
import type { CreateTokenOptions } from "./commands/token.ts";
import { type CompletedCommand, completionScript, completionShells, isCompletionShell } from "./completion.ts";
import { type CliContext, CliError, print, usageExitCode } from "./context.ts";
import { limitOption, readLimits } from "./limit-options.ts";
import { openSafeOutput } from "./output/safe-output.ts";
import { serviceCommandGroups, serviceCommands } from "./service-commands.ts";

/** The code of a command is loaded when it runs: most commands need a small part of it. */
const loadTokens = () => import("./commands/token.ts");

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
  addServe(program, context);
  addTokens(program, context);
  addQueries(program, context);
  addStoreCommands(program, context);
  addServiceCommands(program, context);
  program
    .command("completion")
    .description("print the completion script for a shell")
    .argument("<shell>", completionShells.join(", "))
    .addHelpText("after", examples("logweir completion bash > /etc/bash_completion.d/logweir"))
    .action((shell: string) => {
      if (!isCompletionShell(shell)) {
        throw new CliError(`There is no completion for ${shell}; there is for ${completionShells.join(", ")}`);
      }
      context.output.write(completionScript(shell, program.commands.map(toCompleted)));
    });
  program
    .command("config")
    .description("print every setting with its value and origin")
    .option("--json", "as JSON")
    .addHelpText("after", examples("logweir config", "logweir config --json"))
    .action(async (options: { json?: boolean }) => (await import("./commands/config.ts")).showConfig(options, context));
  return program;
}

function readVersion(packageDir: string): string {
  return (JSON.parse(readFileSync(join(packageDir, "package.json"), "utf8")) as { readonly version: string }).version;
}

function addServe(program: Command, context: CliContext): void {
  program
    .command("serve")
    .description("run the service until SIGTERM or SIGINT")
    .option("--demo", "fill an empty store with a day of sample events")
    .addHelpText("after", examples("logweir serve", "LOGWEIR_PORT=0 LOGWEIR_DATA_DIR=/var/lib/logweir logweir serve"))
    .action(async (options: ServeOptions) => (await import("./commands/serve.ts")).serve(options, context));
}

function addTokens(program: Command, context: CliContext): void {
  const token = program
    .command("token")
    .description("create, list, rotate and revoke access tokens of the data folder");
  const create = token.command("create").description("create a token and print it; it is shown only once");
  for (const name of limitNames) {
    const whose = ingestLimitNames.has(name) ? "what it may send" : "what each of its calls may use up";
    create.option(`${limitOption(name)} <number>`, `${whose}: ${limitDefinitions[name].description}`);
  }
  create
    .requiredOption("--scope <scope>", "what it may do; can be repeated", collect)
    .option("--pin <name=value>", "a parameter that it cannot choose; can be repeated", collect, [])
    .option("--expires <lifetime>", "how long it is valid: 12h, 30d, 8w")
    .option("--redaction <policy>", `whether its answers are redacted: ${redactionPolicies.join(", ")}`)
    .option("--description <text>", "what it is for")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      examples(
        "logweir token create --scope private",
        "logweir token create --scope query:endpoint:logs.all --pin project=abc --expires 30d",
        "logweir token create --scope ingest:source:edge --description 'the gateway'",
      ),
    )
    .action(async (options: Omit<CreateTokenOptions, "limits"> & Readonly<Record<string, unknown>>) => {
      await (await loadTokens()).createToken({ ...options, limits: readLimits(options) }, context);
    });
  token
    .command("list")
    .description("list all tokens, without their values")
    .option("--json", "as JSON")
    .addHelpText("after", examples("logweir token list", "logweir token list --json"))
    .action(async (options: { json?: boolean }) => (await loadTokens()).listTokens(options, context));
  token
    .command("revoke")
    .description("revoke a token; a running service refuses it at once")
    .argument("<id>", "as `logweir token list` shows it")
    .option("--json", "as JSON")
    .addHelpText("after", examples("logweir token revoke 1f0c2a9b7d34"))
    .action(async (id: string, options: { json?: boolean }) => (await loadTokens()).revokeToken(id, options, context));
  token
    .command("rotate")
    .description("give a token a new value and print it; it is shown only once")
    .argument("<id>", "as `logweir token list` shows it")
    .option("--grace <time>", "how long the old value remains valid: 10m, 1h; not at all by default")
    .option("--json", "as JSON")
    .addHelpText("after", examples("logweir token rotate 1f0c2a9b7d34 --grace 1h"))
    .action(async (id: string, options: { grace?: string; json?: boolean }) => {
      await (await loadTokens()).rotateToken(id, options, context);
    });
}

function addQueries(program: Command, context: CliContext): void {
  program
    .command("query")
    .description("run an endpoint of a running service")
    .argument("<name>", "name or id of the endpoint")
    .option("--param <name=value>", "a parameter; can be repeated", collect, [])
    .option("--sql <query>", "your own query over the endpoint's tables")
    .option("--lql <query>", "the same in LQL")
    .option("--limit <rows>", "maximum number of rows")
    .option("--redact", "replace personal data in the answer")
    .option("--json", "as the service answers")
    .option("--csv", "as CSV")
    .option("--url <url>", "of the service; LOGWEIR_URL by default")
    .option("--token <token>", "access token; LOGWEIR_TOKEN by default")
    .addHelpText(
      "after",
      examples(
        "logweir query logs.all --param project=default",
        "logweir query usage.api-counts --param project=default --param interval=daily --csv > counts.csv",
        "logweir query logs.all --param project=default --lql 'm.response.status_code:>=500 t:last@1h'",
      ),
    )
    .action(async (name: string, options: QueryOptions) => {
      await (await import("./commands/query.ts")).query(name, options, context);
    });
  program
    .command("sql")
    .description("run GoogleSQL in memory, without tables; to query the store, use logweir query NAME --sql")
    .argument("[query]", "one query; its answer is printed as JSON")
    .option("--batch", "read one JSON object with query, params and setup per line, print one answer per line")
    .option("--json", "as JSON, which is the default")
    .option("--time-zone <zone>", "for conversions that name no zone", "UTC")
    .option("--engine <name>", "duckdb, or clickhouse for the server at LOGWEIR_CLICKHOUSE_URL", "duckdb")
    .addHelpText("after", examples("logweir sql 'SELECT 1 + 1'", "logweir sql --batch < queries.jsonl"))
    .action(async (text: string | undefined, options: { batch?: boolean; timeZone: string; engine: string }) => {
      const lines = linesOf("query", text, options, context);
      const { runSqlBatch, serverOf } = await import("./commands/sql-batch.ts");
      const server = serverOf(options.engine, context.environment);
      await runSqlBatch(lines, context.output, { timeZone: options.timeZone, ...(server && { server }) });
    });
  program
    .command("parse")
    .description("check the syntax of a query, without running it")
    .argument("[query]", "one query; its answer is printed as JSON")
    .option("--batch", "read one JSON object with sql per line, print one answer per line")
    .option("--json", "as JSON, which is the default")
    .addHelpText("after", examples("logweir parse 'SELECT 1'", "logweir parse --batch < queries.jsonl"))
    .action(async (text: string | undefined, options: { batch?: boolean }) => {
      const lines = linesOf("sql", text, options, context);
      await (await import("./commands/parse-batch.ts")).runParseBatch(lines, context.output);
    });
}

function toCompleted(command: Command): CompletedCommand {
  return {
    name: command.name(),
    description: command.description(),
    options: [...command.options.flatMap(({ long }) => (long == null ? [] : [long])), "--help"],
    subcommands: command.commands.map(toCompleted),
  };
}

function addServiceCommands(program: Command, context: CliContext): void {
  const groups = new Map<string, Command>();
  for (const definition of serviceCommands) {
    const { name, argument, run } = definition;
    const [first = "", second] = name.split(" ");
    const group = groups.get(first) ?? program.command(first);
    groups.set(first, group);
    if (second !== undefined) group.description(serviceCommandGroups[first] ?? "");
    const command = second === undefined ? group : group.command(second);
    command.description(definition.description).addHelpText("after", examples(...definition.examples));
    for (const [flags, description] of definition.options ?? []) command.option(flags, description);
    if (definition.isLocal === true) command.option("--json", "as JSON");
    else ofService(command);
    if (argument === undefined) {
      command.action((options: CommandOptions) => run(undefined, options, context));
    } else {
      command
        .argument(argument.form, argument.description, argument.default)
        .action((value: string | undefined, options: CommandOptions) => run(value, options, context));
    }
  }
}

/** The options of commands that talk to a running service. */
function ofService(command: Command): Command {
  return command
    .option("--json", "as JSON")
    .option("--url <url>", "of the service; LOGWEIR_URL by default")
    .option("--token <token>", "access token; LOGWEIR_TOKEN by default");
}

function addStoreCommands(program: Command, context: CliContext): void {
  ofService(program.command("import"))
    .description("send NDJSON files, plain or gzip, to a running service")
    .argument("<file...>", "- is standard input")
    .requiredOption("--source <name>", "the source to store the events in")
    .addHelpText(
      "after",
      examples("logweir import events.ndjson.gz --source edge", "zcat *.gz | logweir import - --source edge"),
    )
    .action(async (files: string[], options: ImportOptions) => {
      await (await import("./commands/import.ts")).importFiles(files, options, context);
    });
  ofService(program.command("backup"))
    .description("copy everything that a running service stores to a new folder, and verify the copy")
    .argument("<dir>", "new or empty")
    .addHelpText("after", examples("logweir backup /backups/2026-08-20"))
    .action(async (folder: string, options: BackupOptions) => {
      await (await import("./commands/backup.ts")).backup(folder, options, context);
    });
  program
    .command("restore")
    .description("create the data folder from a backup; no service may be running, and the folder must be empty")
    .argument("<dir>", "a folder written by `logweir backup`")
    .option("--json", "as JSON")
    .addHelpText("after", examples("LOGWEIR_DATA_DIR=/var/lib/logweir logweir restore /backups/2026-08-20"))
    .action(async (folder: string, options: { json?: boolean }) => {
      await (await import("./commands/restore.ts")).restore(folder, options, context);
    });
  ofService(program.command("doctor"))
    .description("report the state of the store and its problems; fails if there are any")
    .option("--deep", "read the store's file to the last byte, and check every block")
    .addHelpText("after", examples("logweir doctor", "logweir doctor --deep", "logweir doctor --json"))
    .action(async (options: DoctorOptions) => (await import("./commands/doctor.ts")).doctor(options, context));
}

/** What `--batch` reads, or the one query of the command line as the only line. */
function linesOf(
  key: string,
  text: string | undefined,
  options: { readonly batch?: boolean },
  context: CliContext,
): NodeJS.ReadableStream {
  if (options.batch === true) return context.input;
  if (text === undefined) throw new CliError("This needs a query, or --batch", usageExitCode);
  return Readable.from([`${JSON.stringify({ [key]: text })}\n`]);
}

function examples(...commands: string[]): string {
  return `\nExamples:\n${commands.map((command) => `  ${command}`).join("\n")}`;
}
