import { createHash, type Hash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { type FileHandle, mkdir, open, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createByteChecker, verifyStoreFile } from "../../engines/index.ts";
import type { BackupHead, BackupManifest, BackupTail } from "../../http/answer/backup-format.ts";
import { type CliContext, CliError, print, printJson } from "../context.ts";
import { checkedParts } from "../input/checked-name.ts";
import { createProgressBar } from "../output/progress-bar.ts";
import { createServiceClient, describeAnswer, type ServiceOptions } from "../service-call.ts";

export interface BackupOptions extends ServiceOptions {
  readonly json?: boolean;
}

const maxLineBytes = 16 * 1024 * 1024;

/** The bytes of a stream, taken in lines and in counted pieces. */
class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /** Undefined where the stream ends before the line does. */
  async line(): Promise<string | undefined> {
    for (let from = 0; ; ) {
      const end = this.#rest.indexOf(10, from);
      if (end >= 0) {
        const line = this.#rest.toString("utf8", 0, end);
        this.#rest = this.#rest.subarray(end + 1);
        return line;
      }
      from = this.#rest.length;
      const chunk = await this.#next();
      if (chunk === undefined || from > maxLineBytes) return undefined;
      this.#rest = Buffer.concat([this.#rest, chunk]);
    }
  }

  /** Yields exactly this many bytes in pieces; ends early when the stream does. */
  async *bytes(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0; ) {
      const chunk: Buffer | undefined = this.#rest.length > 0 ? this.#rest : await this.#next();
      if (chunk === undefined) return;
      const piece = chunk.subarray(0, left);
      this.#rest = chunk.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }

  async #next(): Promise<Buffer | undefined> {
    const { done, value } = await this.#chunks.next();
    return done === true ? undefined : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }
}

/**
 * Copies everything a running service stores into a folder that is new or empty, and verifies the copy: checksums of
 * what the service read, and the events counted in the copy. `manifest.json` is written last.
 */
export async function backup(folder: string, options: BackupOptions, context: CliContext): Promise<void> {
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new CliError(`${folder} is not empty; a backup is made in a new folder`);
  }
  const response = await createServiceClient(options, context).send("/api/store/backup");
  if (!response.ok || response.body === null) throw new CliError(await describeAnswer(response));
  const manifest = await receive(new ByteReader(response.body as AsyncIterable<Uint8Array>), folder, context);
  await verifyCopy(folder, manifest);
  await writeFile(join(folder, "manifest.json"), `${JSON.stringify(manifest, undefined, 2)}\n`, { flush: true });
  if (options.json === true) printJson(context.output, { folder, ...manifest });
  else print(context.output, describeBackup(`Backup of ${manifest.made_at} in ${folder}`, manifest));
}

/** In readable form. */
export function describeBackup(title: string, { sources, files }: BackupManifest): string {
  const rows = sources.reduce((sum, source) => sum + source.rows, 0).toLocaleString("en");
  const megabytes = (files.reduce((sum, file) => sum + file.bytes, 0) / 1e6).toFixed(1);
  const isWhole = files.some(({ path }) => path === "metadata.db");
  const rest = isWhole
    ? ""
    : " Tokens, endpoints and sources are in PostgreSQL and not in it: back them up with pg_dump.";
  return `${title}: ${rows} events of ${sources.length} sources, ${megabytes} MB, verified.${rest}`;
}

/**
 * Reads a copy of the store to the last byte. Throws `CliError` when it is damaged, or when its events differ from
 * those of the manifest.
 */
export async function verifyCopy(folder: string, { sources, files }: BackupManifest): Promise<void> {
  const file = files.find(({ path }) => path.startsWith("store/"));
  if (file === undefined) throw new CliError(`The backup in ${folder} holds no store`);
  const { counts, damages } = await verifyStoreFile(join(folder, ...file.path.split("/")));
  if (damages.length > 0) {
    throw new CliError(
      `The store is damaged, and so is the copy in ${folder}; do not use it. Bring an earlier backup back ` +
        `with \`logweir restore\`\n  ${damages.join("\n  ")}`,
    );
  }
  const wrong = sources.find(({ name, rows }) => counts.get(name) !== rows);
  if (wrong === undefined) return;
  throw new CliError(
    `The copy in ${folder} has ${counts.get(wrong.name) ?? "no"} events of ${wrong.name} instead of ` +
      `${wrong.rows}; do not use it`,
  );
}

/**
 * Where blocks of a running service's store do not fit their checksums, in words; its bytes are read as a backup, and
 * not kept.
 */
export async function checkServiceBlocks(options: ServiceOptions, context: CliContext): Promise<readonly string[]> {
  const response = await createServiceClient(options, context).send("/api/store/backup");
  if (!response.ok || response.body === null) throw new CliError(await describeAnswer(response));
  const reader = new ByteReader(response.body as AsyncIterable<Uint8Array>);
  const head = await reader.line();
  if (head === undefined)
    throw new CliError("The store could not be read to its end. Look at the service's log and try again");
  const { files } = JSON.parse(head) as BackupHead;
  const damages: string[] = [];
  for (const { path, bytes } of files) {
    const checker = await createByteChecker();
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

async function receive(reader: ByteReader, folder: string, context: CliContext): Promise<BackupManifest> {
  const cut = () =>
    new CliError(`The backup was cut off; ${folder} is not complete. Look at the service's log and try again.`);
  try {
    const first = await reader.line();
    if (first === undefined) throw cut();
    const head = JSON.parse(first) as BackupHead;
    // Before anything is written.
    const targets = head.files.map(({ path }) => join(folder, ...checkedParts(path, "The service")));
    const total = head.files.reduce((sum, { bytes }) => sum + bytes, 0);
    const bar = createProgressBar(context.errors, "Copying bytes");
    let done = 0;
    const sha256: string[] = [];
    for (const [index, { bytes }] of head.files.entries()) {
      const target = targets[index] ?? folder;
      sha256.push(
        await writeCopy(reader.bytes(bytes), target, (count) => {
          done += count;
          bar.update(done, total);
        }),
      );
    }
    bar.end();
    const last = await reader.line();
    if (last === undefined) throw cut();
    const tail = JSON.parse(last) as BackupTail;
    if (JSON.stringify(tail.sha256) !== JSON.stringify(sha256)) {
      throw new CliError(`What was written to ${folder} is not what the service sent; do not use it`);
    }
    return { ...head, ...tail };
  } catch (error) {
    // The connection broke.
    throw error instanceof TypeError ? cut() : error;
  }
}

/** Writes a file to disk and answers its checksum, which is that of the bytes read back. */
export async function writeCopy(
  chunks: AsyncIterable<Buffer>,
  target: string,
  onProgress: (byteCount: number) => void = () => undefined,
): Promise<string> {
  await mkdir(dirname(target), { recursive: true });
  const file = await open(target, "wx+");
  try {
    for await (const chunk of chunks) {
      await file.writeFile(chunk);
      onProgress(chunk.length);
    }
    await file.sync();
    return (await hashFile(file, createHash("sha256"))).digest("hex");
  } finally {
    await file.close();
  }
}

async function hashFile(file: FileHandle, hash: Hash): Promise<Hash> {
  const buffer = Buffer.alloc(1024 * 1024);
  for (let position = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return hash;
    hash.update(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
}
