/**
 * The table of all commands, in the order of the help. The help, completion, `docs/cli.md` and the manual page come from
 * it. A command loads its code when it runs, because most commands need a small part of it.
 */
import { redactionPolicies } from "../../access/scope.ts";
import { ingestLimitNames, limitDefinitions, limitNames } from "../../shared/budget.ts";
import type { CommandDefinition, CommandOptions } from "../command-definition.ts";
import type { ExportOptions } from "../commands/export.ts";
import type { ImportOptions } from "../commands/import.ts";
import type { SilenceOptions } from "../commands/outgoing/alert.ts";
import type { QueryOptions } from "../commands/query.ts";
import type { CreateTokenOptions } from "../commands/token.ts";
import { limitOption, readLimits } from "../limit-options.ts";

const folder = { form: "[dir]", description: "the folder of endpoint files", default: "endpoints" } as const;
const sourcesOption = ["--sources <dir>", "the folder of sources; as configured by default"] as const;
const backupPlace = { form: "<dir>", description: "a folder of backups, or s3://BUCKET/PREFIX" } as const;
const alertName = { form: "<name>", description: "name or id of the alert" } as const;
const tokenId = { form: "<id>", description: "as `logweir token list` shows it" } as const;

/** Options of `sql` and `parse`. */
interface BatchOptions extends CommandOptions {
  readonly batch?: boolean;
}

interface SqlOptions extends BatchOptions {
  readonly timeZone: string;
  readonly engine: string;
}

type NewTokenOptions = Omit<CreateTokenOptions, "limits"> & Readonly<Record<string, unknown>>;

/** The subjects of commands of two words, for the help of the first word. */
export const commandGroups: Readonly<Record<string, string>> = {
  token: "create, list, rotate and revoke access tokens of the data folder",
  backend: "destinations that a running service drains events to",
  rule: "which events go to a backend",
  alert: "alerts of a running service",
  cache: "cached answers of a running service",
  endpoint: "endpoints of a running service, and as files",
  source: "sources of a running service",
  engine: "the server that stores the events, if the settings name one",
  spool: "acknowledged events on the disk of this node that the server refuses",
};

export const commands: readonly CommandDefinition[] = [
  {
    name: "serve",
    description: "run the service until SIGTERM or SIGINT",
    options: [["--demo", "fill an empty store with a day of sample events"]],
    isLocal: true,
    isSilent: true,
    examples: ["logweir serve", "LOGWEIR_PORT=0 LOGWEIR_DATA_DIR=/var/lib/logweir logweir serve"],
    run: async (_, options, context) => (await import("../commands/serve.ts")).serve(options, context),
  },
  {
    name: "init",
    argument: { form: "[dir]", description: "the folder; made where it is missing", default: "." },
    description: "write a compose file, a token and a first endpoint with its test; overwrites nothing",
    isLocal: true,
    examples: ["logweir init", "logweir init logs && cd logs && logweir endpoint test"],
    run: async (dir = "", options, context) =>
      (await import("../commands/init.ts")).initFolder(dir, options.json === true, context),
  },
  {
    name: "token create",
    description: "create a token and print it; it is shown only once",
    options: [
      ...limitNames.map((name) => {
        const whose = ingestLimitNames.has(name) ? "what it may send" : "what each of its calls may use up";
        return [`${limitOption(name)} <number>`, `${whose}: ${limitDefinitions[name].description}`] as const;
      }),
      ["--scope <scope>", "what it may do; can be repeated", { isRequired: true, isRepeated: true }],
      [
        "--pin <name=value>",
        "a parameter that it cannot choose; more values for a choice of these, or name^=prefix",
        { isRepeated: true },
      ],
      ["--expires <lifetime>", "how long it is valid: 12h, 30d, 8w"],
      ["--redaction <policy>", `whether its answers are redacted: ${redactionPolicies.join(", ")}`],
      ["--description <text>", "what it is for"],
      ["--bigquery-key <file>", "write a key file too, by which clients of BigQuery sign in; overwrites nothing"],
      ["--url <url>", "the address of the service in the key file; LOGWEIR_URL by default"],
    ],
    isLocal: true,
    page: "api.md#access",
    examples: [
      "logweir token create --scope private",
      "logweir token create --scope query:endpoint:logs.all --pin project=abc --expires 30d",
      "logweir token create --scope ingest:source:edge --description 'the gateway'",
      "logweir token create --scope query --bigquery-key key.json --url https://logs.example.com",
    ],
    run: async (_, options: NewTokenOptions, context) =>
      (await import("../commands/token.ts")).createToken({ ...options, limits: readLimits(options) }, context),
  },
  {
    name: "token list",
    description: "list all tokens, without their values",
    isLocal: true,
    examples: ["logweir token list", "logweir token list --json"],
    run: async (_, options, context) => (await import("../commands/token.ts")).listTokens(options, context),
  },
  {
    name: "token revoke",
    argument: tokenId,
    description: "revoke a token; a running service refuses it at once",
    isLocal: true,
    examples: ["logweir token revoke 1f0c2a9b7d34"],
    run: async (id = "", options, context) => (await import("../commands/token.ts")).revokeToken(id, options, context),
  },
  {
    name: "token rotate",
    argument: tokenId,
    description: "give a token a new value and print it; it is shown only once",
    options: [["--grace <time>", "how long the old value remains valid: 10m, 1h; not at all by default"]],
    isLocal: true,
    examples: ["logweir token rotate 1f0c2a9b7d34 --grace 1h"],
    run: async (id = "", options, context) => (await import("../commands/token.ts")).rotateToken(id, options, context),
  },
  {
    name: "query",
    argument: { form: "<name>", description: "name or id of the endpoint" },
    description: "run an endpoint of a running service; prints a table",
    options: [
      ["--param <name=value>", "a parameter; can be repeated", { isRepeated: true }],
      ["--sql <query>", "your own query over the endpoint's tables"],
      ["--lql <query>", "the same in LQL"],
      ["--limit <rows>", "maximum number of rows"],
      ["--redact", "replace personal data in the answer"],
      ["--csv", "as CSV"],
    ],
    examples: [
      "logweir query logs.all --param project=default",
      "logweir query usage.api-counts --param project=default --param interval=daily --csv > counts.csv",
      "logweir query logs.all --param project=default --lql 'm.response.status_code:>=500 t:last@1h'",
    ],
    run: async (name = "", options: QueryOptions, context) =>
      (await import("../commands/query.ts")).query(name, options, context),
  },
  {
    name: "sql",
    argument: { form: "[query]", description: "one query; its answer is printed as JSON" },
    description: "run GoogleSQL in memory, without tables; to query the store, use logweir query NAME --sql",
    options: [
      ["--batch", "read one JSON object with query, params and setup per line, print one answer per line"],
      ["--time-zone <zone>", "for conversions that name no zone", { default: "UTC" }],
      ["--engine <name>", "duckdb, or clickhouse for the server at LOGWEIR_CLICKHOUSE_URL", { default: "duckdb" }],
    ],
    isLocal: true,
    examples: ["logweir sql 'SELECT 1 + 1'", "logweir sql --batch < queries.jsonl"],
    run: async (text, { batch, timeZone, engine }: SqlOptions, context) => {
      const lines = (await import("../input/lines.ts")).queryLines("query", text, batch, context);
      const { runSqlBatch, serverOf } = await import("../commands/sql-batch.ts");
      const server = serverOf(engine, context.environment);
      await runSqlBatch(lines, context.output, { timeZone, ...(server && { server }) });
    },
  },
  {
    name: "parse",
    argument: { form: "[query]", description: "one query; its answer is printed as JSON" },
    description: "check the syntax of a query, without running it",
    options: [["--batch", "read one JSON object with sql per line, print one answer per line"]],
    isLocal: true,
    examples: ["logweir parse 'SELECT 1'", "logweir parse --batch < queries.jsonl"],
    run: async (text, { batch }: BatchOptions, context) => {
      const lines = (await import("../input/lines.ts")).queryLines("sql", text, batch, context);
      await (await import("../commands/parse-batch.ts")).runParseBatch(lines, context.output);
    },
  },
  {
    name: "import",
    argument: { form: "<file...>", description: "files or folders; - is standard input" },
    description: "send NDJSON (plain or gzip), Parquet, or an export to a running service",
    options: [["--source <name>", "the source to store the events in; for an export, its own by default"]],
    page: "storage.md#importing",
    examples: [
      "logweir import events.ndjson.gz --source edge",
      "logweir import exported",
      "zcat *.gz | logweir import - --source edge",
    ],
    run: async (_, options: ImportOptions, context, files) =>
      (await import("../commands/import.ts")).importFiles(files, options, context),
  },
  {
    name: "export",
    argument: { form: "<source>", description: "name, alias or id of the source" },
    description: "write a source's events as Parquet or NDJSON, by day and tenant; run it again to go on",
    options: [
      [
        "--to <dir>",
        "the folder: new, empty, or of an earlier export of the same",
        { isRequired: true, isRepeated: true },
      ],
      ["--format <format>", "parquet or ndjson", { default: "parquet" }],
      ["--from <time>", "events from this time on, in ISO 8601; a day is its midnight UTC"],
      ["--until <time>", "events before this time"],
      ["--tenant <tenant>", "events of this tenant only"],
    ],
    page: "storage.md#exporting",
    examples: [
      "logweir export edge --to exported --format parquet",
      "logweir export edge --to abc --format ndjson --tenant abc --from 2026-08-01 --until 2026-09-01",
    ],
    run: async (source = "", options: ExportOptions, context) =>
      (await import("../commands/export.ts")).exportEvents(source, options, context),
  },
  {
    name: "backup",
    argument: backupPlace,
    description:
      "copy what a running service stores to a folder or to S3, the second time only what is new, and verify it",
    page: "storage.md#backup-and-restore",
    examples: ["logweir backup /backups/logweir", "AWS_REGION=eu-west-1 logweir backup s3://backups/logweir"],
    run: async (dir = "", options, context) =>
      (await import("../commands/backups/backup.ts")).backup(dir, options, context),
  },
  {
    name: "backup list",
    argument: backupPlace,
    description: "list the backups of a folder or bucket, oldest first",
    isLocal: true,
    page: "storage.md#backup-and-restore",
    examples: ["logweir backup list /backups/logweir"],
    run: async (dir = "", options, context) =>
      (await import("../commands/backups/manage.ts")).listPlace(dir, options, context),
  },
  {
    name: "backup verify",
    argument: backupPlace,
    description: "read every file of all backups; fails if one is missing or damaged, and names it",
    isLocal: true,
    page: "storage.md#backup-and-restore",
    examples: ["logweir backup verify /backups/logweir"],
    run: async (dir = "", options, context) =>
      (await import("../commands/backups/manage.ts")).verifyPlace(dir, options, context),
  },
  {
    name: "backup prune",
    argument: backupPlace,
    description: "remove all backups but the newest",
    options: [["--keep <number>", "how many backups to keep", { isRequired: true }]],
    isLocal: true,
    page: "storage.md#backup-and-restore",
    examples: ["logweir backup prune /backups/logweir --keep 30"],
    run: async (dir = "", options, context) =>
      (await import("../commands/backups/manage.ts")).prunePlace(dir, options, context),
  },
  {
    name: "restore",
    argument: backupPlace,
    description: "create the data folder from a backup; no service may be running, and the folder must be empty",
    options: [["--at <id>", "the backup, as `logweir backup list` shows it; the newest by default"]],
    isLocal: true,
    page: "storage.md#backup-and-restore",
    examples: [
      "LOGWEIR_DATA_DIR=/var/lib/logweir logweir restore /backups/logweir",
      "LOGWEIR_DATA_DIR=/var/lib/logweir logweir restore /backups/logweir --at 2026-08-20T04-00-00Z",
    ],
    run: async (dir = "", options, context) =>
      (await import("../commands/backups/restore.ts")).restore(dir, options, context),
  },
  {
    name: "doctor",
    description: "report the state of the store and its problems; fails if there are any",
    options: [["--deep", "read the store's file to the last byte, and check every block"]],
    page: "storage.md",
    examples: ["logweir doctor", "logweir doctor --deep", "logweir doctor --json"],
    run: async (_, options, context) => (await import("../commands/doctor.ts")).doctor(options, context),
  },
  {
    name: "cache clear",
    argument: { form: "[name]", description: "name or id of an endpoint; all endpoints by default" },
    description: "drop cached answers at once",
    examples: ["logweir cache clear", "logweir cache clear usage.api-counts"],
    run: async (name, options, context) => (await import("../commands/cache.ts")).clearCache(name, options, context),
  },
  {
    name: "health",
    description: "report whether a service works: exit code 0, or 1 if it does not; needs no token",
    examples: ["logweir health", "logweir health --url http://127.0.0.1:4001 --json"],
    run: async (_, options, context) => (await import("../commands/health.ts")).checkHealth(options, context),
  },
  {
    name: "openapi",
    page: "clients.md",
    description: "print the OpenAPI document of what the token may do, for generators of typed clients",
    options: [["--from <dir>", "a folder of endpoint files, instead of a running service"], sourcesOption],
    examples: [
      "logweir openapi > openapi.json && npx openapi-typescript openapi.json -o src/logweir.d.ts",
      "logweir openapi --from endpoints > openapi.json",
    ],
    run: async (_, options, context) => (await import("../commands/openapi.ts")).printOpenApi(options, context),
  },
  {
    name: "endpoint list",
    description: "list the endpoints",
    examples: ["logweir endpoint list --json"],
    run: async (_, options, context) => (await import("../commands/endpoint.ts")).listEndpoints(options, context),
  },
  {
    name: "endpoint get",
    argument: { form: "<name>", description: "name or id of the endpoint" },
    description: "show an endpoint: its settings and its query",
    examples: ["logweir endpoint get logs.all"],
    run: async (name = "", options, context) =>
      (await import("../commands/endpoint.ts")).getEndpoint(name, options, context),
  },
  {
    name: "endpoint pull",
    page: "#endpoints-as-files",
    argument: folder,
    description: "write the endpoints of a service as files; files with the same meaning are left as they are",
    options: [["--force", "overwrite files that differ"]],
    examples: ["logweir endpoint pull", "logweir endpoint pull endpoints --force"],
    run: async (dir = "", options, context) =>
      (await import("../commands/endpoint-sync.ts")).pullEndpoints(dir, options, context),
  },
  {
    name: "endpoint diff",
    argument: folder,
    description: "show what apply would change, also for callers; exits with 2 if there are changes",
    options: [["--prune", "also delete endpoints that are not in the folder"]],
    examples: ["logweir endpoint diff", "logweir endpoint diff endpoints --json"],
    run: async (dir = "", options, context) =>
      (await import("../commands/endpoint-sync.ts")).diffEndpoints(dir, options, context),
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
      (await import("../commands/endpoint-sync.ts")).applyEndpoints(dir, options, context),
  },
  {
    name: "endpoint test",
    page: "endpoint-tests.md",
    argument: folder,
    description:
      "run the tests beside endpoint files on an in-memory engine; exits with 1 if one fails, 2 if files " +
      "are unusable",
    options: [["--filter <text>", "only tests with this text in the endpoint's or the test's name"], sourcesOption],
    isLocal: true,
    examples: ["logweir endpoint test", "logweir endpoint test endpoints --filter 'newest first'"],
    run: async (dir = "", options, context) =>
      (await import("../commands/endpoint-test.ts")).testEndpoints(dir, options, context),
  },
  {
    name: "source list",
    description: "list the sources, with their newest event",
    examples: ["logweir source list"],
    run: async (_, options, context) => (await import("../commands/source.ts")).listSources(options, context),
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
      (await import("../commands/source.ts")).createSource(name, options, context),
  },
  {
    name: "source schema",
    argument: { form: "<name>", description: "name or alias of the source" },
    description: "show the fields that a source's events have carried",
    examples: ["logweir source schema edge"],
    run: async (name = "", options, context) =>
      (await import("../commands/source.ts")).showSchema(name, options, context),
  },
  {
    name: "explain",
    argument: { form: "[name]", description: "name of an endpoint, of which all rows are asked" },
    description: "show which part of a query runs on which engine, in its SQL, and why; runs nothing",
    options: [
      ["--sql <query>", "a query over sources and endpoints"],
      ["--endpoint <name>", "the same as the name alone"],
      ["--parameters <json>", "values of a call by name: what they decide is left out"],
    ],
    examples: [
      "logweir explain --sql 'SELECT COUNT(*) FROM edge'",
      "logweir explain usage.api-counts",
      `logweir explain usage.api-counts --parameters '{"interval": "daily"}' --json`,
    ],
    run: async (name, options, context) => (await import("../commands/explain.ts")).explain(name, options, context),
  },
  {
    name: "mcp",
    description:
      "let a local client of the Model Context Protocol use a running service, over standard input and output",
    page: "mcp.md",
    isSilent: true,
    examples: ["LOGWEIR_URL=https://logs.example.com LOGWEIR_TOKEN=... logweir mcp"],
    run: async (_, options, context) => (await import("../commands/mcp.ts")).bridgeMcp(options, context),
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
    run: async (name = "", options, context) => (await import("../commands/tail.ts")).tail(name, options, context),
  },
  {
    name: "backend list",
    description: "list the backends, with what waits for them",
    examples: ["logweir backend list", "logweir backend list --json"],
    run: async (_, options, context) => (await import("../commands/outgoing/drain.ts")).listBackends(options, context),
  },
  {
    name: "backend create",
    page: "drains.md",
    argument: { form: "<name>", description: "for people, and for `logweir rule create`" },
    description: "make a backend; nothing goes there before a rule says so",
    options: [
      ["--to <url>", "where events are sent to"],
      ["--type <type>", "webhook, logweir, loki, otlp or s3; webhook unless given"],
      ["--config <file>", "JSON with what is secret: headers; token of logweir; username and password of loki"],
    ],
    examples: [
      "logweir backend create pager --to https://hooks.example.com/logs --config secrets.json",
      "logweir backend create archive --type logweir --to https://logs.example.com --config secrets.json",
    ],
    run: async (name = "", options, context) =>
      (await import("../commands/outgoing/drain.ts")).createBackend(name, options, context),
  },
  {
    name: "backend delete",
    argument: { form: "<backend>", description: "name or id" },
    description: "delete a backend with its rules and what waits for them",
    examples: ["logweir backend delete pager"],
    run: async (name = "", options, context) =>
      (await import("../commands/outgoing/drain.ts")).deleteBackend(name, options, context),
  },
  {
    name: "rule list",
    description: "list the rules",
    examples: ["logweir rule list"],
    run: async (_, options, context) => (await import("../commands/outgoing/drain.ts")).listRules(options, context),
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
      (await import("../commands/outgoing/drain.ts")).createRule(backend, options, context),
  },
  {
    name: "rule delete",
    argument: { form: "<id>", description: "as `logweir rule list` shows it" },
    description: "end a rule",
    examples: ["logweir rule delete cca9a036-ec44-42a4-999c-029cb18e98bc"],
    run: async (id = "", options, context) =>
      (await import("../commands/outgoing/drain.ts")).deleteRule(id, options, context),
  },
  {
    name: "alert list",
    page: "alerts.md",
    description: "list the alerts: their state, since when they have it, and their next run",
    examples: ["logweir alert list", "logweir alert list --json"],
    run: async (_, options, context) => (await import("../commands/outgoing/alert.ts")).listAlerts(options, context),
  },
  {
    name: "alert show",
    argument: alertName,
    description: "show an alert: its fields, its state and its groups",
    examples: ["logweir alert show failing-paths"],
    run: async (name = "", options, context) =>
      (await import("../commands/outgoing/alert.ts")).showAlert(name, options, context),
  },
  {
    name: "alert test",
    argument: alertName,
    description: "show what an alert would have told, over the events that are stored now",
    options: [
      ["--from <time>", "since when: 2h ago, or a time", { default: "1h" }],
      ["--to <time>", "until when; now by default"],
    ],
    examples: [
      "logweir alert test failing-paths --from 2h",
      "logweir alert test failing-paths --from 2026-11-24T20:00:00Z --to 2026-11-24T22:00:00Z --json",
    ],
    run: async (name = "", options, context) =>
      (await import("../commands/outgoing/alert.ts")).testAlert(name, options, context),
  },
  {
    name: "alert pull",
    page: "alerts.md#alerts-as-files",
    argument: { form: "[dir]", description: "a folder of alerts", default: "alerts" },
    description: "write the alerts of a service as files; files with the same meaning are left as they are",
    options: [["--force", "overwrite files that differ"]],
    examples: ["logweir alert pull", "logweir alert pull alerts --force"],
    run: async (dir = "", options, context) =>
      (await import("../commands/outgoing/alert-sync.ts")).pullAlerts(dir, options, context),
  },
  {
    name: "alert diff",
    argument: { form: "[path]", description: "a file of an alert, or a folder of such files", default: "alerts" },
    description: "show what apply would change; exits with 2 if there are changes",
    examples: ["logweir alert diff", "logweir alert diff alerts/failing-paths.yaml --json"],
    run: async (path = "", options, context) =>
      (await import("../commands/outgoing/alert-sync.ts")).diffAlerts(path, options, context),
  },
  {
    name: "alert apply",
    page: "alerts.md#alerts-as-files",
    argument: { form: "[path]", description: "a file of an alert, or a folder of such files", default: "alerts" },
    description: "make alerts, or change those with the same names; reads all files first",
    examples: ["logweir alert apply", "logweir alert apply alerts/failing-paths.yaml"],
    run: async (path = "", options, context) =>
      (await import("../commands/outgoing/alert.ts")).applyAlerts(path, options, context),
  },
  {
    name: "alert silence",
    argument: alertName,
    description: "hold an alert's notices back for a while; the end of what it told is told all the same",
    options: [
      ["--for <time>", "for how long: 30m, 2h, 1d", { isRequired: true }],
      ["--comment <text>", "why, for people"],
    ],
    examples: ["logweir alert silence failing-paths --for 2h --comment 'the gateway is being moved'"],
    run: async (name = "", options: SilenceOptions, context) =>
      (await import("../commands/outgoing/alert.ts")).silenceAlert(name, options, context),
  },
  {
    name: "alert unsilence",
    argument: alertName,
    description: "end a silence",
    examples: ["logweir alert unsilence failing-paths"],
    run: async (name = "", options, context) =>
      (await import("../commands/outgoing/alert.ts")).unsilenceAlert(name, options, context),
  },
  {
    name: "alert enable",
    argument: alertName,
    description: "run an alert again",
    examples: ["logweir alert enable failing-paths"],
    run: async (name = "", options, context) =>
      (await import("../commands/outgoing/alert.ts")).enableAlert(name, true, options, context),
  },
  {
    name: "alert disable",
    argument: alertName,
    description: "run an alert no longer, and retain it",
    examples: ["logweir alert disable failing-paths"],
    run: async (name = "", options, context) =>
      (await import("../commands/outgoing/alert.ts")).enableAlert(name, false, options, context),
  },
  {
    name: "alert delete",
    argument: alertName,
    description: "delete an alert, with its state and what waits to be told",
    examples: ["logweir alert delete failing-paths"],
    run: async (name = "", options, context) =>
      (await import("../commands/outgoing/alert.ts")).deleteAlert(name, options, context),
  },
  {
    name: "engine migrate",
    page: "clickhouse.md",
    description: "show the statements that make the server ready; with --yes, run them",
    options: [["--yes", "run them"]],
    isLocal: true,
    examples: ["logweir engine migrate", "logweir engine migrate --yes"],
    run: async (_, options, context) => (await import("../commands/engine.ts")).migrateEngine(options, context),
  },
  {
    name: "engine check",
    description: "report what the server, its tables and its users' grants lack; exits with 1 if anything is missing",
    isLocal: true,
    examples: ["logweir engine check", "logweir engine check --json"],
    run: async (_, options, context) => (await import("../commands/engine.ts")).checkEngine(options, context),
  },
  {
    name: "spool list",
    description: "list acknowledged events on this node's disk that the server refuses, and why",
    isLocal: true,
    examples: ["logweir spool list", "logweir spool list --json"],
    run: async (_, options, context) => (await import("../commands/spool.ts")).listSpool(options, context),
  },
  {
    name: "spool retry",
    description: "have the service of this node send them again",
    isLocal: true,
    examples: ["logweir spool retry"],
    run: async (_, options, context) => (await import("../commands/spool.ts")).retrySpool(options, context),
  },
  {
    name: "migrate-data",
    page: "migrate-data.md",
    description:
      "move events and state from the data folder to ClickHouse and PostgreSQL, or back; run it again to go on",
    options: [
      ["--to <engine>", "clickhouse, or duckdb for the way back into the data folder"],
      ["--dry-run", "report what would be moved, and change nothing"],
      ["--verify", "compare every event with all its values, those of earlier runs too"],
      ["--keep-state", "move events alone, and leave endpoints, tokens and all else of the target as they are"],
      ["--replace-state", "put the state in the place of one that the target has of its own"],
    ],
    examples: [
      "logweir migrate-data --to clickhouse --dry-run",
      "logweir migrate-data --to clickhouse --verify --json",
    ],
    run: async (_, options, context) => (await import("../commands/migrate-data.ts")).migrateData(options, context),
  },
  {
    name: "completion",
    argument: { form: "<shell>", description: "bash, zsh, fish" },
    description: "print the completion script for a shell",
    isLocal: true,
    isSilent: true,
    examples: ["logweir completion bash > /etc/bash_completion.d/logweir"],
    run: async (shell = "", _, context) =>
      void context.output.write((await import("../completion.ts")).completionScript(shell, commands, commandGroups)),
  },
  {
    name: "config",
    description: "print every setting with its value and origin",
    isLocal: true,
    page: "configuration.md",
    examples: ["logweir config", "logweir config --json"],
    run: async (_, options, context) => (await import("../commands/config.ts")).showConfig(options, context),
  },
];
