import { type CommandDefinition, optionsOf } from "./command-definition.ts";
import { CliError } from "./context.ts";

/** A command with what can follow it. */
interface CompletedCommand {
  readonly name: string;
  readonly description: string;
  /** With their dashes. */
  readonly options: readonly string[];
  readonly subcommands: readonly CompletedCommand[];
}

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/** The script that completes the command line of `logweir` in a shell. Throws `CliError` for an unknown shell. */
export function completionScript(
  shell: string,
  commands: readonly CommandDefinition[],
  groups: Readonly<Record<string, string>>,
): string {
  const script = Object.entries(scripts).find(([name]) => name === shell)?.[1];
  const shells = Object.keys(scripts).join(", ");
  if (script === undefined) throw new CliError(`There is no completion for ${shell}; there is for ${shells}`);
  const firstWords = [...new Set(commands.map(({ name }) => name.split(" ")[0] ?? ""))];
  return script(
    firstWords.map((word) => {
      const own = commands.find(({ name }) => name === word);
      const subcommands = commands.filter(({ name }) => name.startsWith(`${word} `)).map((each) => complete(each));
      return own
        ? { ...complete(own), subcommands }
        : { name: word, description: groups[word] ?? "", options: ["--help"], subcommands };
    }),
  );
}

function complete(command: CommandDefinition): CompletedCommand {
  const options = optionsOf(command).map(([flags]) => flags.split(" ")[0] ?? "");
  const name = command.name.split(" ").at(-1) ?? "";
  return { name, description: command.description, options: [...options, "--help"], subcommands: [] };
}

function wordsOf(commands: readonly CompletedCommand[]): string {
  return commands.map(({ name }) => name).join(" ");
}

/** The words that can follow each command line so far. */
function followers(commands: readonly CompletedCommand[]): readonly (readonly [string, string])[] {
  return commands.flatMap((command): (readonly [string, string])[] => [
    [command.name, [wordsOf(command.subcommands), ...command.options].filter((word) => word !== "").join(" ")],
    ...command.subcommands.map((each): readonly [string, string] => [
      `${command.name} ${each.name}`,
      each.options.join(" "),
    ]),
  ]);
}

/** A branch for each command line so far, the longest first; they set `variable`. */
function caseBranches(commands: readonly CompletedCommand[], variable: string): string {
  return [...followers(commands)]
    .sort(([a], [b]) => b.split(" ").length - a.split(" ").length)
    .map(([line, words]) => `    "${line} "*) ${variable}="${words}" ;;`)
    .join("\n");
}

function bashScript(commands: readonly CompletedCommand[]): string {
  return `# logweir completion bash > /etc/bash_completion.d/logweir
_logweir() {
  local words="${wordsOf(commands)}"
  local line="\${COMP_WORDS[*]:1:COMP_CWORD-1} "
  case "$line" in
${caseBranches(commands, "words")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _logweir logweir
`;
}

function zshScript(commands: readonly CompletedCommand[]): string {
  return `#compdef logweir
# logweir completion zsh > "\${fpath[1]}/_logweir"
_logweir() {
  local candidates="${wordsOf(commands)}"
  local line="\${words[2,CURRENT-1]} "
  case "$line" in
${caseBranches(commands, "candidates")}
  esac
  compadd -- \${=candidates}
  _files
}
compdef _logweir logweir
`;
}

function fishScript(commands: readonly CompletedCommand[]): string {
  const quote = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const long = (options: readonly string[]) => options.filter((option) => option.startsWith("--"));
  const lines = commands.flatMap((command) => [
    `complete -c logweir -n __fish_use_subcommand -a ${command.name} -d ${quote(command.description)}`,
    ...command.subcommands.flatMap((each) => [
      `complete -c logweir -n '__fish_seen_subcommand_from ${command.name}' -f -a ${each.name} -d ` +
        `${quote(each.description)}`,
    ]),
    ...new Set(
      [command, ...command.subcommands].flatMap(({ options }) =>
        long(options).map(
          (option) => `complete -c logweir -n '__fish_seen_subcommand_from ${command.name}' -l ${option.slice(2)}`,
        ),
      ),
    ),
  ]);
  return `# logweir completion fish > ~/.config/fish/completions/logweir.fish\n${lines.join("\n")}\n`;
}
