import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { defaultEndMs, type EventPlan } from "./events.ts";
import { defaultChdbFolder } from "./peers/clickhouse/clickhouse.ts";

const parts = ["all", "queries", "ingest", "steps", "service", "http"] as const;

type Part = (typeof parts)[number];

/** The measurements to take, and where. */
export interface BenchOptions {
  readonly plan: EventPlan;
  readonly peers: readonly ("postgres" | "clickhouse")[];
  readonly part: Part;
  readonly jsonFile: string | undefined;
  /** Holds every store; removed at the end unless `keepsStores`. */
  readonly folder: string;
  /** Leaves the stores, and takes those that hold the same events already. */
  readonly keepsStores: boolean;
  readonly chdbFolder: string;
  readonly ingestSeconds: number;
  /** With "clickhouse", the service runs over a server, beside hand-written SQL there, and nothing else is measured. */
  readonly engine?: "duckdb" | "clickhouse";
}

/** The machine's description for the report. */
export const machine: string = `${availableParallelism()} cores, ${process.platform} ${process.arch}, Node.js ${process.version}`;

interface Flags {
  readonly events: number;
  readonly seed: number;
  readonly peers: string;
  readonly only: Part;
  readonly json?: string;
  readonly dir: string;
  readonly keep: boolean;
  readonly chdb: string;
  readonly seconds: number;
  readonly engine: "duckdb" | "clickhouse";
}

export function parseCount(text: string): number {
  const match = /^(\d+)([km]?)$/i.exec(text);
  if (match === null) throw new InvalidArgumentError("Expected a count such as 200000, 200k or 2m.");
  const unit = { "": 1, k: 1_000, m: 1_000_000 }[match[2]?.toLowerCase() ?? ""] ?? 1;
  return Number(match[1]) * unit;
}

function parsePeers(text: string): BenchOptions["peers"] {
  const names = text.split(",").filter((name) => name !== "" && name !== "none");
  return names.map((name) => {
    if (name === "postgres" || name === "clickhouse") return name;
    throw new Error(`--peers: there is no peer ${name}; choose from postgres, clickhouse, none`);
  });
}

/** Reads the command line. Ends the process with a message when it cannot be read. */
export function parseOptions(args: readonly string[]): BenchOptions {
  const command = new Command("npm run bench --")
    .description("Measures this service beside PostgreSQL and ClickHouse on the same events.")
    .option("--events <n>", "events that the queries run on; 200k and 2m are counts too", parseCount, 2_000_000)
    .option("--seed <n>", "seed of the events", parseCount, 20_260_820)
    .option("--peers <names>", "postgres, clickhouse, both with a comma, or none", "postgres,clickhouse")
    .addOption(new Option("--only <part>", "what to measure").choices(parts).default("all"))
    .option("--json <file>", "also write every number to this file")
    .option("--dir <folder>", "folder of the stores", join(tmpdir(), "logweir-bench"))
    .option("--keep", "leave the stores, and use those that hold the same events already", false)
    .option("--chdb <folder>", "folder in whose node_modules chdb is", defaultChdbFolder)
    .addOption(
      new Option("--engine <name>", "what the service runs on").choices(["duckdb", "clickhouse"]).default("duckdb"),
    )
    .option("--seconds <n>", "how long each peer takes in events", parseCount, 60);
  const flags = command.parse(args, { from: "user" }).opts<Flags>();
  return {
    plan: { seed: flags.seed, eventCount: flags.events, endMs: defaultEndMs },
    peers: parsePeers(flags.peers),
    part: flags.only,
    jsonFile: flags.json,
    folder: flags.dir,
    keepsStores: flags.keep,
    chdbFolder: flags.chdb,
    ingestSeconds: flags.seconds,
    engine: flags.engine,
  };
}
