import { createHash } from "node:crypto";
import { hasPrefix } from "../../../src/backups/backup-stream.ts";
import { cutFile } from "../../../src/backups/chunks.ts";
import type { BackupWork } from "../../../src/backups/make-backup.ts";

/** A service with its files, and the way it answers requests for a backup. */
export interface FakeService {
  /** By path. */
  files: Record<string, Buffer>;
  madeAt: string;
  /** Bytes of the answer that come before the connection ends. */
  cutAfter: number;
  /** Chunks that came with their bytes, of all requests. */
  sentChunks: number;
  readonly work: BackupWork;
  /** Messages of the command. */
  readonly notes: string[];
}

/** A service with these files, whose blocks are whole unless `checkBlocks` says otherwise. */
export function createFakeService(files: Record<string, Buffer>, some: Partial<BackupWork> = {}): FakeService {
  const service: FakeService = {
    files,
    madeAt: "2026-08-20T04:00:00.000Z",
    cutAfter: Number.POSITIVE_INFINITY,
    sentChunks: 0,
    notes: [],
    work: {
      request: async (prefixes) => answer(service, prefixes),
      checkBlocks: () => undefined,
      onProgress: () => undefined,
      notify: (message) => void service.notes.push(message),
      ...some,
    },
  };
  return service;
}

async function* answer(service: FakeService, prefixes: Buffer): AsyncGenerator<Buffer> {
  let left = service.cutAfter;
  for (const piece of pieces(service, prefixes)) {
    yield piece.subarray(0, left);
    left -= piece.length;
    if (left <= 0) return;
  }
}

function* pieces(service: FakeService, prefixes: Buffer): Generator<Buffer> {
  const files = Object.entries(service.files).map(([path, { length: bytes }]) => ({ path, bytes }));
  const head = { format: 2, made_at: service.madeAt, sources: [{ name: "edge", rows: 3 }], files };
  yield Buffer.from(`${JSON.stringify(head)}\n`);
  for (const bytes of Object.values(service.files)) {
    let at = 0;
    for (const size of cutFile(bytes.length)) {
      const chunk = bytes.subarray(at, at + size);
      at += size;
      const hash = createHash("sha256").update(chunk).digest();
      const isThere = hasPrefix(prefixes, hash);
      if (!isThere) service.sentChunks++;
      yield Buffer.concat(isThere ? [hash, Buffer.of(0)] : [hash, Buffer.of(1), chunk]);
    }
  }
  yield Buffer.from('{"sha256":[]}\n');
}
