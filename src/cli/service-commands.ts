import type { CommandDefinition } from "./command-definition.ts";
import { drainCommands } from "./drain-commands.ts";
import { engineCommands } from "./engine-commands.ts";

const folder = { form: "[dir]", description: "the folder of endpoint files", default: "endpoints" } as const;

const sourcesOption = ["--sources <dir>", "the folder of sources; as configured by default"] as const;

/** What groups of commands are about. */
export const serviceCommandGroups: Readonly<Record<string, string>> = {
  backend: "destinations that a running service drains events to",
  rule: "which events go to a backend",
  client: "typed clients of endpoints",
  cache: "cached answers of a running service",
  endpoint: "endpoints of a running service, and as files",
  source: "sources of a running service",
  engine: "the server that stores the events, if the settings name one",
};

export const serviceCommands: readonly CommandDefinition[] = [
  {
    name: "cache clear",
    argument: { form: "[name]", description: "name or id of an endpoint; all endpoints by default" },
    description: "drop cached answers at once",
    examples: ["logweir cache clear", "logweir cache clear usage.api-counts"],
    run: async (name, options, context) => (await import("./commands/cache.ts")).clearCache(name, options, context),
  },
  {
    name: "health",
    description: "report whether a service works: exit code 0, or 1 if it does not; needs no token",
    examples: ["logweir health", "logweir health --url http://127.0.0.1:4001 --json"],
    run: async (_, options, context) => (await import("./commands/health.ts")).checkHealth(options, context),
  },
  {
    name: "client generate",
    description: "write a typed TypeScript client, without dependencies, for the endpoints that the token may run",
    options: [
      ["--out <file>", "the file to write the client to"],
      ["--from <dir>", "a folder of endpoint files, instead of a running service"],
      sourcesOption,
    ],
    examples: [
      "logweir client generate --out src/logweir.ts",
      "logweir client generate --from endpoints --out src/logweir.ts",
    ],
    run: async (_, options, context) =>
      (await import("./commands/client-generate.ts")).generateClientFile(options, context),
  },
  {
    name: "endpoint list",
    description: "list the endpoints",
    examples: ["logweir endpoint list --json"],
    run: async (_, options, context) => (await import("./commands/endpoint.ts")).listEndpoints(options, context),
  },
  {
    name: "endpoint get",
    argument: { form: "<name>", description: "name or id of the endpoint" },
    description: "show an endpoint: its settings and its query",
    examples: ["logweir endpoint get logs.all"],
    run: async (name = "", options, context) =>
      (await import("./commands/endpoint.ts")).getEndpoint(name, options, context),
  },
  {
    name: "endpoint pull",
    argument: folder,
    description: "write the endpoints of a service as files; files with the same meaning are left as they are",
    options: [["--force", "overwrite files that differ"]],
    examples: ["logweir endpoint pull", "logweir endpoint pull endpoints --force"],
    run: async (dir = "", options, context) =>
      (await import("./commands/endpoint-sync.ts")).pullEndpoints(dir, options, context),
  },
  {
    name: "endpoint diff",
    argument: folder,
    description: "show what apply would change, also for callers; exits with 2 if there are changes",
    options: [["--prune", "also delete endpoints that are not in the folder"]],
    examples: ["logweir endpoint diff", "logweir endpoint diff endpoints --json"],
    run: async (dir = "", options, context) =>
      (await import("./commands/endpoint-sync.ts")).diffEndpoints(dir, options, context),
  },
  {
    name: "endpoint apply",
    argument: folder,
    description: "change the endpoints of a service to those of a folder; asks first",
    options: [
      ["--yes", "do not ask; for scripts"],
      ["--prune", "also delete endpoints that are not in the folder"],
    ],
    examples: ["logweir endpoint apply", "logweir endpoint apply endpoints --yes"],
    run: async (dir = "", options, context) =>
      (await import("./commands/endpoint-sync.ts")).applyEndpoints(dir, options, context),
  },
  {
    name: "endpoint test",
    argument: folder,
    description:
      "run the tests beside endpoint files on an in-memory engine; exits with 1 if one fails, 2 if files " +
      "are unusable",
    options: [["--filter <text>", "only tests with this text in the endpoint's or the test's name"], sourcesOption],
    isLocal: true,
    examples: ["logweir endpoint test", "logweir endpoint test endpoints --filter 'newest first'"],
    run: async (dir = "", options, context) =>
      (await import("./commands/endpoint-test.ts")).testEndpoints(dir, options, context),
  },
  {
    name: "source list",
    description: "list the sources, with their newest event",
    examples: ["logweir source list"],
    run: async (_, options, context) => (await import("./commands/source.ts")).listSources(options, context),
  },
  {
    name: "source create",
    argument: { form: "<name>", description: "letters, digits, _, - and dots" },
    description: "create a source, which accepts events at once",
    options: [
      ["--alias <names>", "other names, separated by commas"],
      ["--tenant <field>", "the field that identifies the tenant, such as project"],
      ["--description <text>", "for people"],
      ["--retention-days <days>", "how long events are kept; for ever by default"],
    ],
    examples: [
      "logweir source create shop",
      "logweir source create shop.checkout --tenant project --retention-days 30",
    ],
    run: async (name = "", options, context) =>
      (await import("./commands/source.ts")).createSource(name, options, context),
  },
  {
    name: "source schema",
    argument: { form: "<name>", description: "name or alias of the source" },
    description: "show the fields that a source's events have carried",
    examples: ["logweir source schema edge"],
    run: async (name = "", options, context) =>
      (await import("./commands/source.ts")).showSchema(name, options, context),
  },
  {
    name: "explain",
    description: "show which part of a query runs on which engine, in its SQL, and why; runs nothing",
    options: [
      ["--sql <query>", "a query over sources and endpoints"],
      ["--endpoint <name>", "all rows of an endpoint"],
    ],
    examples: [
      "logweir explain --sql 'SELECT COUNT(*) FROM edge'",
      "logweir explain --endpoint usage.api-counts --json",
    ],
    run: async (_, options, context) => (await import("./commands/explain.ts")).explain(options, context),
  },
  {
    name: "tail",
    argument: { form: "<name>", description: "name or alias of a source; of an endpoint with --endpoint" },
    description: "print the newest events, and then new ones as they arrive",
    options: [
      ["--lql <query>", "only events that match an LQL query"],
      ["--sql <query>", "rows of an SQL query, newest first"],
      ["--project <project>", "only events of one project"],
      ["--endpoint", "the name is an endpoint's"],
    ],
    examples: [
      "logweir tail edge",
      "logweir tail edge --lql 'm.response.status_code:>=500' --json | jq .metadata",
      "logweir tail logs.all --endpoint --project default",
    ],
    run: async (name = "", options, context) => (await import("./commands/tail.ts")).tail(name, options, context),
  },
  ...drainCommands,
  ...engineCommands,
];
