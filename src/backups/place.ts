/** Where backups are kept: a folder, or a part of a bucket. */
export interface BackupPlace {
  /** Its name in messages. */
  readonly title: string;
  /**
   * True where reading costs time and money, and the receiver verifies what it is sent: files are then not read back
   * during a backup.
   */
  readonly isRemote: boolean;
  /** Nothing is there, not even the place. */
  isEmpty(): Promise<boolean>;
  /** The keys of its files that begin with this folder: relative, with `/`. */
  list(folder: string): Promise<readonly string[]>;
  /**
   * Undefined where there is no such file. Of a longer file only the first `maxBytes` are read: whoever can write to a
   * place decides how long its files are, and how much comes of one.
   */
  read(key: string, maxBytes: number): Promise<Buffer | undefined>;
  /** The time since a file was written, by the place's own clock; undefined where there is no such file. */
  ageMs(key: string): Promise<number | undefined>;
  /** Writes a file or replaces it: it has all of the bytes, or is as it was. */
  write(key: string, bytes: Uint8Array): Promise<void>;
  /** Answers false, and changes nothing, where the file is there. */
  create(key: string, bytes: Uint8Array): Promise<boolean>;
  /** Does nothing where there is no such file. */
  remove(key: string): Promise<void>;
  /** Resolves when what was written and removed before will survive the end of the machine. */
  sync(): Promise<void>;
  /** A long file of the first format in pieces; only a folder has such files. */
  stream?(key: string): AsyncIterable<Buffer>;
}

/** Runs work on all items, at most so many at a time. Rejects as the first that fails, once none runs any more. */
export async function forAll<T>(
  items: Iterable<T> | AsyncIterable<T>,
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  for await (const item of items) {
    const one = work(item)
      .catch((error: unknown) => void failures.push(error))
      .finally(() => running.delete(one));
    running.add(one);
    if (running.size >= atOnce) await Promise.race(running);
    if (failures.length > 0) break;
  }
  await Promise.all(running);
  if (failures.length > 0) throw failures[0];
}
