import type { BackupPlace } from "../../../src/backups/place.ts";

/** A place of a process that is killed before its n-th change: from then on nothing of what it does has an effect. */
export function createDyingPlace(place: BackupPlace, changes: number) {
  let left = changes;
  const change =
    <Arguments extends readonly unknown[], Result>(work: (...args: Arguments) => Promise<Result>) =>
    async (...args: Arguments): Promise<Result> => {
      if (left-- <= 0) throw new Error("killed");
      return work(...args);
    };
  return {
    isDead: () => left < 0,
    place: {
      ...place,
      write: change(place.write),
      create: change(place.create),
      remove: change(place.remove),
      sync: change(place.sync),
    },
  };
}

/** Changes the lock to that of a process that has ended. */
export async function buryHolder(place: BackupPlace): Promise<void> {
  const lock = await place.read("lock", 1000);
  if (lock === undefined) return;
  const holder = { ...(JSON.parse(lock.toString()) as object), pid: 2 ** 22 + 1 };
  await place.write("lock", Buffer.from(JSON.stringify(holder)));
}
