import type { CommandDefinition } from "./command-definition.ts";

/** Commands of log drains. */
export const drainCommands: readonly CommandDefinition[] = [
  {
    name: "backend list",
    description: "list the backends, with what waits for them",
    examples: ["logweir backend list", "logweir backend list --json"],
    run: async (_, options, context) => (await import("./commands/drain.ts")).listBackends(options, context),
  },
  {
    name: "backend create",
    argument: { form: "<name>", description: "for people, and for `logweir rule create`" },
    description: "make a backend; nothing goes there before a rule says so",
    options: [
      ["--to <url>", "where events are sent to"],
      ["--type <type>", "webhook, logweir or loki; webhook unless given"],
      ["--config <file>", "JSON with what is secret: headers; token of logweir; username and password of loki"],
    ],
    examples: [
      "logweir backend create pager --to https://hooks.example.com/logs --config secrets.json",
      "logweir backend create archive --type logweir --to https://logs.example.com --config secrets.json",
    ],
    run: async (name = "", options, context) =>
      (await import("./commands/drain.ts")).createBackend(name, options, context),
  },
  {
    name: "backend delete",
    argument: { form: "<backend>", description: "name or id" },
    description: "delete a backend with its rules and what waits for them",
    examples: ["logweir backend delete pager"],
    run: async (name = "", options, context) =>
      (await import("./commands/drain.ts")).deleteBackend(name, options, context),
  },
  {
    name: "rule list",
    description: "list the rules",
    examples: ["logweir rule list"],
    run: async (_, options, context) => (await import("./commands/drain.ts")).listRules(options, context),
  },
  {
    name: "rule create",
    argument: { form: "<backend>", description: "name or id" },
    description: "send a source's events to a backend, from now on",
    options: [
      ["--source <name>", "name, alias or id of the source"],
      ["--lql <query>", "only events that a query in LQL holds for"],
    ],
    examples: ["logweir rule create pager --source edge --lql 'm.response.status_code:>=500'"],
    run: async (backend = "", options, context) =>
      (await import("./commands/drain.ts")).createRule(backend, options, context),
  },
  {
    name: "rule delete",
    argument: { form: "<id>", description: "as `logweir rule list` shows it" },
    description: "end a rule",
    examples: ["logweir rule delete cca9a036-ec44-42a4-999c-029cb18e98bc"],
    run: async (id = "", options, context) => (await import("./commands/drain.ts")).deleteRule(id, options, context),
  },
];
