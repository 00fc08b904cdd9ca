import { join } from "node:path";
import type { Settings } from "../../config/settings.ts";
import { moveEvents, type SliceReport } from "../../transfer/move-events.ts";
import { ProgressFile } from "../../transfer/progress-file.ts";
import { type DaySummary, summarize } from "../../transfer/summary.ts";
import { CliError, type CommandContext, print, printAnswer, usageExitCode } from "../context.ts";
import { describeStateOutcome, moveMetadata, type StateOutcome } from "../moving/move-metadata.ts";
import {
  type OpenStore,
  openFolderSource,
  openFolderTarget,
  openServerStore,
  readBothSettings,
  targetOf,
} from "../moving/open-stores.ts";
import { createProgressBar } from "../output/progress-bar.ts";
import { formatTable } from "../output/table.ts";

interface MigrateDataOptions {
  readonly to?: string;
  readonly dryRun?: boolean;
  readonly verify?: boolean;
  readonly keepState?: boolean;
  readonly replaceState?: boolean;
}

/** A pass shorter than this is the last one: the next would move about as much as arrived in the meantime. */
const shortPassMs = 10_000;
const maxPasses = 20;
const maxListedDays = 10;

interface Outcome {
  readonly route: { readonly from: string; readonly to: string };
  readonly state: StateOutcome;
  /** Sources that no definition names. */
  readonly left: readonly string[];
  readonly days: readonly DaySummary[];
  readonly passes: number;
  readonly lastPassMs: number;
}

/**
 * Moves events and state from the data folder to the server and its database, or back. Fails after a report when
 * something was not moved or differs between the two sides.
 */
export async function migrateData(context: CommandContext, _: unknown, options: MigrateDataOptions): Promise<void> {
  const isToServer = readDirection(options.to);
  if (options.keepState === true && options.replaceState === true) {
    throw new CliError("--keep-state and --replace-state exclude each other", usageExitCode);
  }
  const settings = readBothSettings(context);
  const isDry = options.dryRun === true;
  const stores: OpenStore[] = [];
  const open = async (opening: Promise<OpenStore>): Promise<OpenStore> => {
    const store = await opening;
    stores.push(store);
    return store;
  };
  try {
    const from = await open(isToServer ? openFolderSource(settings, context) : openServerStore(settings, isDry));
    const to = await open(isToServer ? openServerStore(settings, isDry) : openFolderTarget(settings, isDry));
    report(await move({ from, to, isToServer }, settings, options, context), options, context);
  } finally {
    for (const store of stores.reverse()) await store.close();
  }
}

function readDirection(to: string | undefined): boolean {
  if (to === "clickhouse") return true;
  if (to === "duckdb") return false;
  const problem = to === undefined ? "is missing" : `cannot be ${JSON.stringify(to)}`;
  throw new CliError(
    `--to ${problem}: clickhouse moves from the data folder to the server, duckdb back`,
    usageExitCode,
  );
}

interface Sides {
  readonly from: OpenStore;
  readonly to: OpenStore;
  readonly isToServer: boolean;
}

async function move(
  { from, to, isToServer }: Sides,
  settings: Settings,
  options: MigrateDataOptions,
  context: CommandContext,
): Promise<Outcome> {
  const isDry = options.dryRun === true;
  const route = { from: from.name, to: to.name };
  const path = join(settings.dataDir, "migrate-data.ndjson");
  const progress = isDry ? ProgressFile.reading(path, route) : ProgressFile.open(path, route);
  const { sources, state } = await moveMetadata(
    {
      settings,
      isToServer,
      isFolderIdle: (isToServer ? from : to).engine !== undefined,
      known: progress,
      keeps: options.keepState === true,
      replaces: options.replaceState === true,
      isDry,
    },
    context,
  );
  if (!isDry) await to.engine?.store.ensureSources(sources);
  const names = new Set(sources.map(({ name }) => name));
  const passes: (readonly SliceReport[])[] = [];
  let lastPassMs = Number.POSITIVE_INFINITY;
  while (lastPassMs > shortPassMs && passes.length < (isDry ? 1 : maxPasses)) {
    const started = performance.now();
    const bar = createProgressBar(context.errors, passes.length === 0 ? "Moving" : `Moving, pass ${passes.length + 1}`);
    const reports = await moveEvents({
      from: from.source,
      to: targetOf(to),
      sources: from.source.sourceNames.filter((name) => names.has(name)),
      progress,
      comparesAll: options.verify === true && passes.length === 0,
      isDry,
      signal: new AbortController().signal,
      onProgress: (done, total) => bar.update(done, total),
    });
    bar.end();
    passes.push(reports);
    lastPassMs = performance.now() - started;
  }
  const left = from.source.sourceNames.filter((name) => !names.has(name));
  return { route, state, left, days: summarize(passes), passes: passes.length, lastPassMs };
}

function report(outcome: Outcome, options: MigrateDataOptions, context: CommandContext): void {
  const { route, state, left, days, passes, lastPassMs } = outcome;
  const run = { dry_run: options.dryRun === true, passes, last_pass_ms: Math.round(lastPassMs) };
  const value = { ...route, ...run, state, not_moved: left, days };
  printAnswer(context, value, () => printSummary(outcome, options, context));
  const wrong = days.reduce((sum, { changed, missing }) => sum + changed + missing, 0);
  const problems = [
    ...(wrong > 0 ? [`In the target ${wrong === 1 ? "an event is" : `${wrong} events are`} not as in the source`] : []),
    ...left.map((name) => `No file names the source ${name}: its events were not moved`),
    ...(state.outcome === "kept" ? [describeStateOutcome(state)] : []),
  ];
  if (problems.length > 0) throw new CliError(problems.join("\n"));
}

function printSummary(
  { route, state, days, lastPassMs }: Outcome,
  options: MigrateDataOptions,
  context: CommandContext,
): void {
  const { output } = context;
  const count = (value: number) => value.toLocaleString("en");
  print(output, `From ${route.from}\nto   ${route.to}\n\nState: ${describeStateOutcome(state)}`);
  const isDry = options.dryRun === true;
  const heads = ["SOURCE", "DAYS", "EVENTS", isDry ? "TO MOVE" : "MOVED", "DIFFERENT", "MISSING", "ONLY IN TARGET"];
  const rows = [...new Set(days.map(({ source }) => source))].map((source) => {
    const own = days.filter((day) => day.source === source);
    const sum = (pick: (day: DaySummary) => number) => count(own.reduce((total, day) => total + pick(day), 0));
    const figures = [sum((day) => day.events), sum((day) => day.moved), sum((day) => day.changed)];
    return [source, String(own.length), ...figures, sum((day) => day.missing), sum((day) => day.others)];
  });
  print(output, `\n${formatTable(heads, rows)}`);
  const wrong = days.filter(({ changed, missing }) => changed + missing > 0);
  for (const { source, day, changed, missing, examples } of wrong.slice(0, maxListedDays)) {
    const ids = `such as ${examples.slice(0, 2).join(", ")}`;
    print(output, `${source} ${day}: ${count(changed)} different, ${count(missing)} missing, ${ids}`);
  }
  if (wrong.length > maxListedDays)
    print(output, `... and ${wrong.length - maxListedDays} more days; --json lists them`);
  if (isDry) print(output, "\nNothing was changed.");
  else
    print(
      output,
      `\nThe last pass took ${(lastPassMs / 1000).toFixed(1)} s. What came since is moved by the next run.`,
    );
}
