import { UserError } from "../shared/user-error.ts";
import { listChunks } from "./chunks.ts";
import { listBackups } from "./manifest.ts";
import type { BackupPlace } from "./place.ts";
import { takeLock } from "./place-lock.ts";

const removalsAtOnce = 64;

/** The result of pruning. */
export interface Pruning {
  readonly removed: readonly string[];
  readonly kept: readonly string[];
  /** Files that no backup needs any more. */
  readonly files: number;
}

/**
 * Removes all but the newest backups, and then everything that none of these needs, also what interrupted backups left.
 * An end at any moment leaves only files that the next pruning removes. Throws `UserError`, and removes nothing, where
 * what one of the newest needs is not known.
 */
export async function pruneBackups(place: BackupPlace, keep: number): Promise<Pruning> {
  if ((await listBackups(place)).length === 0) throw new UserError(`${place.title} holds no backups`);
  const lock = await takeLock(place);
  try {
    const all = await listBackups(place);
    const kept = all.slice(-keep);
    const damaged = kept.find(({ problem }) => problem !== undefined);
    if (damaged !== undefined) {
      throw new UserError(
        `${damaged.problem}, so what this backup needs is not known; nothing was removed. Remove ${damaged.key} if ` +
          "you can do without it, and prune again",
      );
    }
    const needed = new Set(kept.flatMap(({ backup }) => backup?.files.flatMap(({ chunks = [] }) => chunks) ?? []));
    const old = all.slice(0, -keep);
    await lock.confirm();
    for (const { key, backup } of old) {
      // A backup of the first format has its files to itself, and only its manifest says so.
      const own = backup?.files.filter(({ chunks }) => chunks === undefined) ?? [];
      for (const { path } of own) await place.remove(path);
      await place.remove(key);
    }
    // Before the chunks: a manifest must not come back without them.
    await place.sync();
    const unneeded = (await listChunks(place)).keys.filter(
      ({ key, name }) => key.endsWith(".new") || !needed.has(name),
    );
    for (let at = 0; at < unneeded.length; at += removalsAtOnce) {
      // Whoever has taken the lock over counts on what is still there.
      await lock.confirm();
      await Promise.all(unneeded.slice(at, at + removalsAtOnce).map(({ key }) => place.remove(key)));
    }
    await place.sync();
    return { removed: old.map(({ id }) => id), kept: kept.map(({ id }) => id), files: unneeded.length };
  } finally {
    await lock.release();
  }
}
