import type { CommandDefinition } from "./command-definition.ts";

/** Commands of the server that keeps the events. */
export const engineCommands: readonly CommandDefinition[] = [
  {
    name: "engine migrate",
    description: "show the statements that make the server ready; with --yes, run them",
    options: [["--yes", "run them"]],
    isLocal: true,
    examples: ["logweir engine migrate", "logweir engine migrate --yes"],
    run: async (_, options, context) => (await import("./commands/engine.ts")).migrateEngine(options, context),
  },
  {
    name: "engine check",
    description: "tell what the server, its tables and its users' rights lack; exits with 1 when that is something",
    isLocal: true,
    examples: ["logweir engine check", "logweir engine check --json"],
    run: async (_, options, context) => (await import("./commands/engine.ts")).checkEngine(options, context),
  },
  {
    name: "migrate-data",
    description:
      "move events and state from the data folder to ClickHouse and PostgreSQL, or back; run it again to go on",
    options: [
      ["--to <engine>", "clickhouse, or duckdb for the way back into the data folder"],
      ["--dry-run", "tell what would be moved, and change nothing"],
      ["--verify", "compare every event with all its values, those of earlier runs too"],
      ["--keep-state", "move events alone, and leave endpoints, tokens and all else of the target as they are"],
      ["--replace-state", "put the state in the place of one that the target has of its own"],
    ],
    examples: [
      "logweir migrate-data --to clickhouse --dry-run",
      "logweir migrate-data --to clickhouse --verify --json",
    ],
    run: async (_, options, context) => (await import("./commands/migrate-data.ts")).migrateData(options, context),
  },
];
