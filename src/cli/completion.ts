/** A command with what can follow it. */
export interface CompletedCommand {
  readonly name: string;
  readonly description: string;
  /** With their dashes. */
  readonly options: readonly string[];
  readonly subcommands: readonly CompletedCommand[];
}

export const completionShells = ["bash", "zsh", "fish"] as const;

export type CompletionShell = (typeof completionShells)[number];

export function isCompletionShell(text: string): text is CompletionShell {
  return completionShells.some((shell) => shell === text);
}

/** The script that completes the command line of `logweir` in a shell. */
export function completionScript(shell: CompletionShell, commands: readonly CompletedCommand[]): string {
  switch (shell) {
    case "bash":
      return bashScript(commands);
    case "zsh":
      return zshScript(commands);
    case "fish":
      return fishScript(commands);
  }
}

function wordsOf(commands: readonly CompletedCommand[]): string {
  return commands.map(({ name }) => name).join(" ");
}

/** What can follow the words of each command line so far. */
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
