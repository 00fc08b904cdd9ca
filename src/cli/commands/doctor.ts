import { type BackupHead, ByteReader } from "../../backups/backup-stream.ts";
import { type Configuration, readConfiguration } from "../../config/config.ts";
import type { FigureDefinition, StoreProblem } from "../../engines/contract/query-engine.ts";
import { engineCapabilities, hasStore, loadByteChecker, openEngine, verifyStore } from "../../engines/index.ts";
import { openMetadata } from "../../metadata/open-metadata.ts";
import { createSourceStore } from "../../metadata/source-store.ts";
import { loadAllSources } from "../../service/all-sources.ts";
import { metadataPlace, storeDirectory } from "../../service/data-folder.ts";
import { findDamagedFiles } from "../../service/find-problems.ts";
import type { RetentionDays, Source } from "../../sources/source.ts";
import { describeStore, type StoreState } from "../../sources/store-state.ts";
import { type CliContext, CliError, type CommandContext, failForAny, print, printAnswer } from "../context.ts";
import { formatTable } from "../output/table.ts";
import { createServiceClient, isServiceThere, readAnswer, readBytes } from "../service-call.ts";

interface DoctorOptions {
  /** Read the store's file to the last byte. */
  readonly deep?: boolean;
}

/**
 * Prints the state of a store: of the service that runs, else of the data folder. Fails when something is wrong with
 * the store, after it has printed what.
 */
export async function doctor(context: CommandContext, _: unknown, { deep }: DoctorOptions): Promise<void> {
  const state = await examine(deep === true, context);
  printAnswer(context, state, () => printState(state, context));
  failForAny(state.problems, "problem");
}

async function examine(isDeep: boolean, context: CommandContext): Promise<StoreState> {
  const server = () => readConfiguration(context, context.environment).settings.engineServer;
  if (isDeep && !engineCapabilities(server()).hasLocalFiles) {
    throw new CliError("The engine keeps its events elsewhere: check its files by its own means");
  }
  if (await isServiceThere(context)) {
    const state = await readAnswer<StoreState>(context, "/api/store");
    return isDeep ? withDamages(state, await checkServiceBlocks(context)) : state;
  }
  const damages = isDeep ? await findDamages(context) : [];
  try {
    return withDamages(await openStore(context), damages);
  } catch (error) {
    // The problems found are more informative than the fact that the store cannot be opened.
    if (damages.length === 0) throw error;
    throw new CliError(`The store is damaged. ${whatToDo}\n  ${damages.join("\n  ")}`);
  }
}

const whatToDo =
  "Bring a backup back with `logweir restore`. Without one: `logweir serve` still answers what lies in whole " +
  "blocks; have it exported before anything else is tried";

function withDamages(state: StoreState, damages: readonly string[]): StoreState {
  const found = damages.map(
    (message, index): StoreProblem => ({ code: "damaged", message: index === 0 ? `${message}. ${whatToDo}` : message }),
  );
  return { ...state, problems: [...found, ...state.problems] };
}

/** For a data folder without a running service. */
async function findDamages(context: CliContext): Promise<readonly string[]> {
  const { settings } = readConfiguration(context, context.environment);
  return (await verifyStore(storeDirectory(settings)))?.damages ?? [];
}

async function openStore(context: CommandContext): Promise<StoreState> {
  if (context.url !== undefined) throw new CliError(`No service answers at ${context.url}`);
  const configuration: Configuration = readConfiguration(context, context.environment);
  const { engineServer: server } = configuration.settings;
  const directory = storeDirectory(configuration.settings);
  if (server === undefined && !hasStore(directory)) {
    throw new CliError(`No service runs, and there is no store in ${directory}. \`logweir serve\` makes one.`);
  }
  const sources = await readSources(configuration, context);
  const engine = await openEngine({ directory, ...(server === undefined ? {} : { server }) });
  try {
    const report = await engine.store.inspect?.(AbortSignal.timeout(600_000));
    if (report === undefined) throw new CliError("The engine does not report its state");
    const state = describeStore(engine.name, report, sources, Date.now(), configuration.settings.sizeBounds);
    return { ...state, problems: [...(await findDamagedFiles(configuration.settings)), ...state.problems] };
  } finally {
    await engine.close();
  }
}

async function readSources({ settings }: Configuration, { errors }: CliContext): Promise<readonly Source[]> {
  const warn = (message: string) => print(errors, message);
  const metadata = await openMetadata(metadataPlace(settings), warn);
  try {
    return await loadAllSources(settings, createSourceStore(metadata, Date.now), warn);
  } finally {
    await metadata.close();
  }
}

function formatFigure(value: unknown, unit: FigureDefinition["unit"]): string {
  const number = Number(value ?? 0);
  if (unit !== "bytes") return number.toLocaleString("en");
  return `${(number / 1e6).toLocaleString("en", { maximumFractionDigits: 1 })} MB`;
}

function printState(state: StoreState, { output }: CliContext): void {
  const count = (value: number) => formatFigure(value, "count");
  const figuresOf = (of: FigureDefinition["of"]) => state.figures.filter((figure) => figure.of === of);
  print(
    output,
    formatTable(
      ["STORE", state.directory ?? state.engine],
      [
        ["events", count(state.rows)],
        ...figuresOf("store").map(({ name, label, unit }) => [label.toLowerCase(), formatFigure(state[name], unit)]),
      ],
    ),
  );
  const own = figuresOf("source");
  const heads = own.map(({ label }) => label.toUpperCase());
  const rows = state.sources.map((source) => [
    source.name,
    count(source.rows),
    source.oldest ?? "",
    source.newest ?? "",
    count(source.fields),
    ...own.map(({ name, unit }) => formatFigure(source[name], unit)),
    describeRetention(source.retention_days),
  ]);
  print(output, `\n${formatTable(["SOURCE", "EVENTS", "OLDEST", "NEWEST", "FIELDS", ...heads, "KEPT"], rows)}`);
  const problems = state.problems.map(({ message }) => `  ${message}`);
  print(output, problems.length === 0 ? "\nNo problems." : `\nProblems:\n${problems.join("\n")}`);
}

function describeRetention(retention: RetentionDays | null): string {
  if (typeof retention === "number") return `${retention} days`;
  const usual = retention?.default === undefined ? "for good" : `${retention.default} days`;
  const { length } = Object.keys(retention?.tenants ?? {});
  return length === 0 ? usual : `${usual}; ${length} ${length === 1 ? "tenant differs" : "tenants differ"}`;
}

/**
 * Where blocks of a running service's store do not fit their checksums, in words; its bytes are read as a backup, and
 * not kept.
 */
async function checkServiceBlocks(context: CommandContext): Promise<readonly string[]> {
  const reader = new ByteReader(await readBytes(createServiceClient(context), "/api/store/backup"));
  const createChecker = await loadByteChecker();
  const head = await reader.line();
  if (head === undefined)
    throw new CliError("The store could not be read to its end. Look at the service's log and try again");
  const { files } = JSON.parse(head) as BackupHead;
  const damages: string[] = [];
  for (const { path, bytes } of files) {
    const checker = createChecker();
    let done = 0;
    for await (const piece of reader.bytes(bytes)) {
      if (path.startsWith("store/")) checker.push(piece);
      done += piece.length;
    }
    if (done < bytes)
      throw new CliError(`${path} could not be read to its end. Look at the service's log and try again`);
    const places = path.startsWith("store/") ? checker.damages() : [];
    damages.push(...places.map((at) => `${path}: the block at byte ${at} does not fit its checksum`));
  }
  return damages;
}
