import { readFile } from "node:fs/promises";
import { type DuckDbEngine, openMemoryEngine } from "../../src/engines/duckdb/index.ts";
import { GoogleSqlError } from "../../src/googlesql/diagnostic.ts";
import { parseQuery } from "../../src/googlesql/parse.ts";
import { resolveSandboxed } from "../../src/googlesql/resolve.ts";
import { STRING, TIMESTAMP } from "../../src/googlesql/types.ts";
import { compileLql } from "../../src/lql/compile-lql.ts";
import { LqlError } from "../../src/lql/lql-error.ts";
import { defaultDetectors } from "../../src/redaction/detector.ts";
import { loadSources } from "../../src/sources/load-sources.ts";
import { openSources, type SourceRegistry } from "../../src/sources/source-registry.ts";
import { createMutator } from "./mutate.ts";
import { answeredAttempts } from "./tables/answered.ts";
import { deniedAttempts } from "./tables/denied.ts";
import { lqlSeeds } from "./tables/lql-seeds.ts";
import { undoAttempts } from "./tables/redaction-undo.ts";
import { refusedAttempts } from "./tables/refused.ts";

/** A text that crashed, stalled or left the sandbox. */
export interface Finding {
  readonly kind: "crash" | "slow" | "escape";
  readonly language: "sql" | "lql";
  readonly text: string;
  readonly detail: string;
}

export interface FuzzReport {
  readonly texts: number;
  /** Texts that were compiled completely. */
  readonly compiled: number;
  readonly findings: readonly Finding[];
}

export interface FuzzOptions {
  readonly seed: number;
  /** Checked before each text. */
  readonly isOver: (texts: number) => boolean;
  readonly onFinding?: (finding: Finding) => void;
}

/** A text takes a few milliseconds; none may take this long. */
const slowMs = 2_000;
const physicalTable = /"([^"]*)" AS t\d+/g;

/** Sends mutations of the attempts and of LQL texts through parser, resolver, sandbox and compiler until it is over. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const engine = await openMemoryEngine({ threads: 1 });
  try {
    const sources = await openSources(await loadSources(["sources"]), engine.store);
    const file = await readFile("endpoints/logs.all.sql", "utf8");
    return runFuzz(options, createCompiler(engine, sources, file.slice(file.indexOf("---*/") + 5)));
  } finally {
    await engine.close();
  }
}

type Compile = (language: Finding["language"], text: string, redacts: boolean) => string;

function createCompiler(engine: DuckDbEngine, sources: SourceRegistry, saved: string): Compile {
  const savedQuery = { query: parseQuery(saved), text: saved };
  const parameters = new Map([
    ["project", STRING],
    ["iso_timestamp_start", TIMESTAMP],
    ["iso_timestamp_end", TIMESTAMP],
  ]);
  return (language, text, redacts) => {
    const query =
      language === "sql"
        ? parseQuery(text)
        : compileLql(text, { defaultTable: "edge_logs", nowMs: 1_787_216_400_000, maxRows: 1_000 });
    const redaction = redacts ? { redaction: defaultDetectors.join(",") } : {};
    const tables = { findTable: (name: string) => sources.findTable(name), tableNames: sources.tableNames };
    const options = { tables, parameters, ...redaction };
    return engine.compile(resolveSandboxed(savedQuery, { query, text }, options), { text }).sql;
  };
}

function runFuzz({ seed, isOver, onFinding }: FuzzOptions, compile: Compile): FuzzReport {
  const sql = [deniedAttempts, refusedAttempts, answeredAttempts, undoAttempts].flatMap((attempts) =>
    attempts.map((attempt) => attempt.sql),
  );
  const mutators = { sql: createMutator(sql, seed), lql: createMutator(lqlSeeds, seed + 1) };
  const findings: Finding[] = [];
  let texts = 0;
  let compiled = 0;
  for (; !isOver(texts); texts++) {
    const language = texts % 4 === 0 ? "lql" : "sql";
    const text = mutators[language]();
    const report = (kind: Finding["kind"], detail: string) => {
      const finding = { kind, language, text, detail } as const;
      findings.push(finding);
      onFinding?.(finding);
    };
    const started = process.cpuUsage();
    try {
      const printed = compile(language, text, texts % 3 === 0);
      compiled++;
      const outside = findOutside(printed);
      if (outside !== undefined) report("escape", outside);
    } catch (error) {
      const isAnswer = error instanceof GoogleSqlError || error instanceof LqlError;
      if (!isAnswer) report("crash", error instanceof Error ? String(error.stack).slice(0, 1_000) : String(error));
    }
    const { user, system } = process.cpuUsage(started);
    const usedMs = (user + system) / 1_000;
    if (usedMs > slowMs) report("slow", `${Math.round(usedMs)} ms of a processor`);
  }
  return { texts, compiled, findings };
}

/** A table in the printed statement other than the nine sources behind the endpoint. */
function findOutside(printed: string): string | undefined {
  const withoutTexts = printed.replace(/'(?:[^']|'')*'/g, "''");
  for (const [, name = ""] of withoutTexts.matchAll(physicalTable)) {
    if (!/^events_[1-9]$/.test(name)) return name;
  }
  return undefined;
}
