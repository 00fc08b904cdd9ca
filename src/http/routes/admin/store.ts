import { createHash } from "node:crypto";
import { createReadStream, rmSync, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AuditLog } from "../../../audit/audit-log.ts";
import { type BackupHead, type BackupTail, hasPrefix } from "../../../backups/backup-stream.ts";
import { cutFile } from "../../../backups/chunks.ts";
import type { Engine, SnapshotFile, StoreProblem } from "../../../engines/contract/query-engine.ts";
import type { MetadataDatabase } from "../../../metadata/database.ts";
import { anyRow } from "../../../openapi/forms.ts";
import { describeRoutes } from "../../../openapi/route-description.ts";
import { ServiceError } from "../../../shared/errors.ts";
import type { SizeBounds } from "../../../sources/size-bound.ts";
import type { Source } from "../../../sources/source.ts";
import { describeStore } from "../../../sources/store-state.ts";
import { openBegunStream } from "../../answer/owned-stream.ts";
import { createRouteAdder } from "../../request/add-route.ts";
import { createCallSignal } from "../../request/call-signal.ts";
import { callerOf } from "../../request/route-access.ts";
import type { Shutdown } from "../../request/shutdown.ts";

/** The dependencies of the store's routes. */
export interface StoreDependencies {
  readonly engine: Engine;
  readonly metadata: Pick<MetadataDatabase, "copyTo">;
  /** Where a copy of the metadata may lie while it is sent; must be in a folder that is there. */
  readonly metadataCopyPath: string;
  /** Those of the moment. */
  readonly sources: { readonly sources: readonly Pick<Source, "name" | "retentionDays">[] };
  readonly sizeBounds: SizeBounds;
  /** The problems of the data folder, besides the engine's own. */
  readonly findProblems: () => Promise<readonly StoreProblem[]>;
  readonly audit: Pick<AuditLog, "record">;
  readonly logger: FastifyBaseLogger;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  readonly shutdown: Shutdown;
}

const ofStore = { tag: "store", scope: "private" } as const;

export const storeRoutes = describeRoutes({
  getStore: { ...ofStore, path: "/api/store", summary: "Report the state of the store", answer: anyRow },
  backUpStore: {
    ...ofStore,
    path: "/api/store/backup",
    summary: "Everything that the service stores, as one stream",
    mediaType: "application/octet-stream",
  },
  backUpChanges: {
    ...ofStore,
    path: "/api/store/backup",
    method: "post",
    summary: "What the service stores, as one stream, without the parts that the caller has",
    bodyType: "application/octet-stream",
    mediaType: "application/octet-stream",
  },
});

/**
 * `GET /api/store`: the state of the store. `GET /api/store/backup`: a consistent copy of everything, while events are
 * still stored (see `src/backups/backup-stream.ts`), but for metadata that a database has, which is backed up by its own means. `POST /api/store/backup`: the same without the parts that the caller has. All are for owners (scope `private`).
 */
export function addStoreRoutes(app: FastifyInstance, dependencies: StoreDependencies): void {
  const { engine, sources, audit, nowMs, shutdown } = dependencies;
  const addRoute = createRouteAdder(app);
  addRoute(storeRoutes.getStore, async (_request, reply) => {
    if (engine.store.inspect === undefined) throw notFound("state");
    const report = await engine.store.inspect(createCallSignal(reply, shutdown));
    const state = describeStore(engine.name, report, sources.sources, nowMs(), dependencies.sizeBounds);
    const problems = [...(await dependencies.findProblems()), ...state.problems];
    return reply.send({ ...state, problems });
  });
  async function answer(request: FastifyRequest, reply: FastifyReply, prefixes?: Uint8Array) {
    const owner = callerOf(request);
    const chunks = makeBackup(dependencies, createCallSignal(reply, shutdown), prefixes);
    const body = await openBegunStream(reply, chunks);
    audit.record({ action: "store.backup", actor: owner.tokenId });
    return reply.type("application/octet-stream").send(body);
  }
  addRoute(storeRoutes.backUpStore, (request, reply) => answer(request, reply));
  addRoute(storeRoutes.backUpChanges, (request, reply) => {
    const { body } = request as { readonly body: unknown };
    return answer(request, reply, body instanceof Uint8Array ? body : new Uint8Array());
  });
}

function notFound(what: string, hint?: string): ServiceError {
  return new ServiceError("not_found", `The engine keeps its ${what} elsewhere`, hint === undefined ? {} : { hint });
}

const backupHint =
  "Back up the events by the means of the server that keeps them, such as its BACKUP statement, and then the metadata.";

/** With prefixes, in chunks, without the bytes of those whose hashes have one of them. */
async function* makeBackup(
  dependencies: StoreDependencies,
  signal: AbortSignal,
  prefixes: Uint8Array | undefined,
): AsyncGenerator<Buffer, void> {
  const { engine, metadata, metadataCopyPath, nowMs, logger } = dependencies;
  if (engine.store.snapshot === undefined) throw notFound("backups", backupHint);
  const snapshot = await engine.store.snapshot(signal);
  let isReleased = false;
  try {
    rmSync(metadataCopyPath, { force: true });
    metadata.copyTo?.(metadataCopyPath);
    const files: readonly SnapshotFile[] = [
      ...snapshot.files.map((file): SnapshotFile => ({ ...file, name: `store/${file.name}` })),
      ...(metadata.copyTo === undefined
        ? []
        : [{ path: metadataCopyPath, name: "metadata.db", byteCount: statSync(metadataCopyPath).size }]),
    ];
    const head: BackupHead = {
      format: prefixes === undefined ? 1 : 2,
      made_at: new Date(nowMs()).toISOString(),
      sources: snapshot.sources.map(({ name, rowCount }) => ({ name, rows: rowCount })),
      files: files.map(({ name, byteCount }) => ({ path: name, bytes: byteCount })),
    };
    yield Buffer.from(`${JSON.stringify(head)}\n`);
    const sha256: string[] = [];
    for (const file of files) {
      if (prefixes === undefined) sha256.push(yield* readFileBytes(file.path, file.byteCount, signal));
      else yield* readFileChunks(file, prefixes, signal);
    }
    isReleased = true;
    // Fails when the engine was restarted, because the file may have changed during the copy: then the last line is not
    // written.
    await snapshot.release();
    yield Buffer.from(`${JSON.stringify({ sha256 } satisfies BackupTail)}\n`);
  } finally {
    rmSync(metadataCopyPath, { force: true });
    if (!isReleased) {
      await snapshot.release().catch((error: unknown) => logger.warn({ err: error }, "a backup was lost"));
    }
  }
}

async function* readFileBytes(path: string, byteCount: number, signal: AbortSignal): AsyncGenerator<Buffer, string> {
  const hash = createHash("sha256");
  if (byteCount > 0) {
    for await (const chunk of createReadStream(path, { end: byteCount - 1, highWaterMark: 1024 * 1024, signal })) {
      hash.update(chunk as Buffer);
      yield chunk as Buffer;
    }
  }
  return hash.digest("hex");
}

/** Each chunk's hash, then 1 and the chunk, or 0 where the caller has it. */
async function* readFileChunks(
  { path, byteCount, findUnused }: SnapshotFile,
  prefixes: Uint8Array,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void> {
  const unused = await findUnused?.();
  const file = await open(path, "r");
  try {
    let position = 0;
    for (const size of cutFile(byteCount)) {
      signal.throwIfAborted();
      const chunk = unused?.has(position) ? Buffer.alloc(size) : await readChunk(file, position, size);
      position += size;
      const hash = createHash("sha256").update(chunk).digest();
      const isThere = hasPrefix(prefixes, hash);
      yield Buffer.concat(isThere ? [hash, Buffer.of(0)] : [hash, Buffer.of(1), chunk]);
    }
  } finally {
    await file.close();
  }
}

async function readChunk(file: FileHandle, position: number, size: number): Promise<Buffer> {
  const chunk = Buffer.allocUnsafe(size);
  for (let done = 0; done < size; ) {
    const { bytesRead } = await file.read(chunk, done, size - done, position + done);
    if (bytesRead === 0) throw new Error("The store's file is shorter than it was");
    done += bytesRead;
  }
  return chunk;
}
