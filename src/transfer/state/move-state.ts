import type { MetadataDatabase } from "../../metadata/database.ts";
import { UserError } from "../../shared/user-error.ts";
import { describeDifference, describeState, isEmptyState, readState, type State, writeState } from "./state-tables.ts";

/** The states that were moved to the target before. */
export interface KnownStates {
  knowsState(digest: string): boolean;
  noteState(digest: string): void;
}

export interface StateMove {
  readonly from: MetadataDatabase;
  readonly to: MetadataDatabase;
  readonly known: KnownStates;
  /** False where a service works on the source, which then takes what waits in its outbox itself. */
  readonly isSourceIdle: boolean;
  /** Whether no service works on the target, nor begins to before the move is over. */
  readonly isTargetIdle: boolean;
  /** Takes what the target has for lost. */
  readonly replaces?: boolean;
  readonly isDry?: boolean;
}

/** The outcome for the state; `differs` names the differences of the target. */
export type MovedState =
  | { readonly outcome: "moved" | "same"; readonly what: string; readonly auditEntries: number }
  | { readonly outcome: "kept"; readonly differs: string };

/**
 * Makes the target's endpoints, tokens, sources, views and drains those of the source, and its key. Throws `UserError`
 * where the target has a state of its own that no run of this brought there.
 */
export async function moveState(move: StateMove): Promise<MovedState> {
  const { from, to, known, isTargetIdle, replaces = false, isDry = false } = move;
  const [own, there] = [await readState(from.queries), await readState(to.queries)];
  const what = describeState(own);
  const isSame = own.digest === there.digest && (await hasSameKey(from, to));
  if (!isSame && !isTargetIdle) return { outcome: "kept", differs: describeDifference(own, there) || "the key" };
  if (!isSame && !replaces && !isEmptyState(there) && !known.knowsState(there.digest)) {
    throw new UserError(
      `The target has a state of its own (${describeState(there)}), which differs in: ` +
        `${describeDifference(own, there) || "the key"}. Nothing was moved. --keep-state leaves it and moves events alone, --replace-state puts the source's in its place`,
    );
  }
  if (isDry) return { outcome: isSame ? "same" : "moved", what, auditEntries: 0 };
  known.noteState(own.digest);
  if (!isSame) await replace(move, own);
  const auditEntries = move.isSourceIdle ? await moveOutbox(move) : 0;
  return { outcome: isSame ? "same" : "moved", what, auditEntries };
}

async function hasSameKey(from: MetadataDatabase, to: MetadataDatabase): Promise<boolean> {
  return Buffer.from(await from.readKey()).equals(Buffer.from(await to.readKey()));
}

/** The key first: data encrypted with it must not be there without it. */
async function replace({ from, to }: StateMove, own: State): Promise<void> {
  await to.replaceKey(await from.readKey());
  await to.inTurn("changes", (transaction) => writeState(transaction, own));
  const written = await readState(to.queries);
  if (written.digest !== own.digest) {
    throw new UserError(`The state was written and does not read the same: ${describeDifference(own, written)}`);
  }
}

/** The audit stores an entry once by its id: a duplicate after an interruption does no harm. */
async function moveOutbox({ from, to }: StateMove): Promise<number> {
  const entries = await from.queries.selectFrom("audit_outbox").selectAll().orderBy("id").execute();
  if (entries.length === 0) return 0;
  await to.queries.transaction().execute(async (transaction) => {
    for (const { at, event } of entries) await transaction.insertInto("audit_outbox").values({ at, event }).execute();
  });
  const last = entries.at(-1)?.id ?? 0;
  await from.queries.deleteFrom("audit_outbox").where("id", "<=", last).execute();
  return entries.length;
}
