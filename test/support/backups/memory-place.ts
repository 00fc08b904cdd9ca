import type { BackupPlace } from "../../../src/backups/place.ts";

/** A place in memory, of which tests see and change the files. */
export function createMemoryPlace(): BackupPlace & { readonly files: Map<string, Buffer> } {
  const files = new Map<string, Buffer>();
  return {
    title: "memory",
    isRemote: false,
    files,
    isEmpty: async () => files.size === 0,
    list: async (folder) => [...files.keys()].filter((key) => key.startsWith(`${folder}/`)),
    read: async (key, maxBytes) => files.get(key)?.subarray(0, maxBytes),
    ageMs: async (key) => (files.has(key) ? 0 : undefined),
    write: async (key, bytes) => void files.set(key, Buffer.from(bytes)),
    async create(key, bytes) {
      if (files.has(key)) return false;
      files.set(key, Buffer.from(bytes));
      return true;
    },
    remove: async (key) => void files.delete(key),
    sync: async () => undefined,
  };
}
