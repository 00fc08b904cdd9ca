import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Settings } from "../../config/settings.ts";
import type { MetadataDatabase } from "../../metadata/database.ts";
import { hasMetadata, openMetadata } from "../../metadata/open-metadata.ts";
import { createSourceStore } from "../../metadata/source-store.ts";
import { loadAllSources } from "../../service/all-sources.ts";
import { UserError } from "../../shared/user-error.ts";
import type { Source } from "../../sources/source.ts";
import { type KnownStates, type MovedState, moveState } from "../../transfer/state/move-state.ts";
import { describeState, readState } from "../../transfer/state/state-tables.ts";
import { type CliContext, print } from "../context.ts";

/** The outcome for the state; absent when there is none to move. */
export type StateOutcome = MovedState | { readonly outcome: "nothing"; readonly why: string };

export interface MetadataMove {
  readonly settings: Settings;
  readonly isToServer: boolean;
  /** Whether this command has the data folder for itself. */
  readonly isFolderIdle: boolean;
  readonly known: KnownStates;
  /** The target's state is not looked at. */
  readonly keeps: boolean;
  readonly replaces: boolean;
  readonly isDry: boolean;
}

interface MovedMetadata {
  readonly state: StateOutcome;
  /** As the side defines them that events come from. */
  readonly sources: readonly Source[];
}

/** Moves the state, and answers the definitions of all sources. */
export async function moveMetadata(move: MetadataMove, context: CliContext): Promise<MovedMetadata> {
  const { settings, isToServer } = move;
  const file = join(settings.dataDir, "metadata.db");
  const url = settings.metadataUrl;
  const [fromPlace, toPlace] = isToServer ? [file, url] : [url ?? file, file];
  const opened: MetadataDatabase[] = [];
  const open = async (place: string): Promise<MetadataDatabase> => {
    const database = await openMetadata(place);
    opened.push(database);
    return database;
  };
  try {
    const why = findNothing(move, file);
    // State that both sides share is read in place; when there is none, none is created.
    const place = (await hasMetadata(fromPlace)) ? fromPlace : toPlace;
    const from = place !== undefined && (await hasMetadata(place)) ? await open(place) : undefined;
    const warn = (message: string) => print(context.errors, message);
    const stored = from === undefined ? { list: async () => [] } : createSourceStore(from, Date.now);
    const sources = await loadAllSources(settings, stored, warn);
    if (why !== undefined || toPlace === undefined || from === undefined) {
      return { state: { outcome: "nothing", why: why ?? "there is none" }, sources };
    }
    if (move.isDry && !(await hasMetadata(toPlace))) {
      const what = describeState(await readState(from.queries));
      return { state: { outcome: "moved", what, auditEntries: 0 }, sources };
    }
    return { state: await moveBetween(move, from, await open(toPlace)), sources };
  } finally {
    for (const database of opened.reverse()) await database.close();
  }
}

/** Why there is no state to move; undefined when there is some. */
function findNothing({ settings, isToServer, keeps }: MetadataMove, file: string): string | undefined {
  if (keeps) return "left as it is, as --keep-state says";
  if (settings.metadataUrl === undefined) return `it stays in ${file}, since LOGWEIR_METADATA_URL names no database`;
  if (isToServer && !existsSync(file)) return `there is no ${file}, so nothing was moved`;
  return undefined;
}

async function moveBetween(
  { isToServer, isFolderIdle, ...move }: MetadataMove,
  from: MetadataDatabase,
  to: MetadataDatabase,
): Promise<MovedState> {
  const isDatabaseIdle = await joinAlone(isToServer ? to : from);
  const [isSourceIdle, isTargetIdle] = isToServer ? [isFolderIdle, isDatabaseIdle] : [isDatabaseIdle, isFolderIdle];
  return moveState({ ...move, from, to, isSourceIdle, isTargetIdle });
}

/** False while a node works on the database. Otherwise none can start to until this is closed. */
async function joinAlone(database: MetadataDatabase): Promise<boolean> {
  try {
    await database.join({ isEngineShared: false, nowMs: () => performance.now(), log: () => undefined });
    return true;
  } catch (error) {
    // What else may be wrong has a cause.
    if (error instanceof UserError && error.cause === undefined) return false;
    throw error;
  }
}

/** In words. */
export function describeStateOutcome(state: StateOutcome): string {
  switch (state.outcome) {
    case "nothing":
      return state.why;
    case "kept":
      return `services work on the target, whose ${state.differs} differ from the source's: they were not moved. Stop them and run this again`;
    case "same":
      return `the target has it already: ${state.what}${describeOutbox(state.auditEntries)}`;
    case "moved":
      return `moved: ${state.what}${describeOutbox(state.auditEntries)}`;
  }
}

function describeOutbox(entries: number): string {
  return entries === 0 ? "" : `, entries that wait for the audit ${entries}`;
}
