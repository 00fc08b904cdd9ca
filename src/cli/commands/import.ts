import { createReadStream } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../../shared/message-of.ts";
import { type CliContext, CliError, type CommandContext, print, printAnswer } from "../context.ts";
import { findImportFiles, type ImportFile } from "../input/import-files.ts";
import { withId } from "../input/line-ids.ts";
import { type NumberedLine, numberedLines, unzipped } from "../input/numbered-lines.ts";
import { parquetLines } from "../input/parquet-lines.ts";
import { sendLines } from "../input/send-lines.ts";
import { createImportProgress } from "../output/progress-bar.ts";
import { createServiceClient, isServiceThere } from "../service-call.ts";

interface ImportOptions {
  /** By default, that of the export that a file is in. */
  readonly source?: string;
}

const linesPerBatch = 1_000;
const bytesPerBatch = 4_000_000;
const requestsInFlight = 4;
/** A single event beyond this is refused by any service. */
const maxLineBytes = 64_000_000;
const maxListed = 100;

interface Batch {
  readonly file: ImportFile;
  readonly lines: readonly NumberedLine[];
}

interface Rejection {
  readonly file: string;
  readonly line: number;
  readonly reason: string;
}

/**
 * Sends NDJSON files, plain or gzip, and Parquet files to a running service; `-` is standard input, a folder stands for
 * its files. Memory does not depend on their size. Fails when lines were rejected, after all others are stored.
 */
export async function importFiles(
  context: CommandContext,
  _: unknown,
  options: ImportOptions,
  paths: readonly string[],
): Promise<void> {
  const client = createServiceClient(context);
  const files = await findImportFiles(paths, options.source);
  // From here on, a service that does not answer is assumed to be restarting.
  if (!(await isServiceThere(context))) throw new CliError(`No service answers at ${client.url}`);
  const totalBytes = paths.includes("-") ? undefined : files.reduce((sum, { bytes }) => sum + bytes, 0);
  const progress = createImportProgress(context.errors, totalBytes, () => performance.now());
  let [accepted, rejectedCount, readBytes] = [0, 0, 0];
  const listed: Rejection[] = [];
  const batches = readBatches(files, context, (count) => {
    readBytes += count;
  });
  const failures: unknown[] = [];
  const work = async () => {
    for (let next = await batches.next(); next.done !== true; next = await batches.next()) {
      if (failures.length > 0) return;
      const { file, lines } = next.value;
      const outcome = await sendLines({ client, source: file.source, sleep }, lines);
      accepted += outcome.accepted;
      rejectedCount += outcome.rejected.length;
      for (const each of outcome.rejected) if (listed.length < maxListed) listed.push({ file: file.path, ...each });
      progress.update(accepted, readBytes);
    }
  };
  // What is on its way is waited for: only then is it known how many events are stored.
  await Promise.all(
    Array.from({ length: requestsInFlight }, () => work().catch((error: unknown) => failures.push(error))),
  );
  await batches.return(undefined);
  progress.end();
  if (failures.length > 0) {
    const again = "Import the same again once the reason is gone: what is stored already is not stored twice";
    throw new CliError(`${messageOf(failures[0])}\nThe import stopped: ${accepted} events are stored. ${again}.`);
  }
  const sources = [...new Set(files.map(({ source }) => source))];
  report({ accepted, rejectedCount, listed, sources }, context);
}

interface Outcome {
  readonly accepted: number;
  readonly rejectedCount: number;
  readonly listed: readonly Rejection[];
  readonly sources: readonly string[];
}

function report({ accepted, rejectedCount, listed, sources }: Outcome, context: CommandContext): void {
  const text = `${accepted} events stored in ${sources.join(", ")}, ${rejectedCount} lines rejected.`;
  printAnswer(context, { accepted, rejected_count: rejectedCount, rejected: listed }, text);
  for (const { file, line, reason } of listed) print(context.errors, `${file}:${line}: ${reason}`);
  if (rejectedCount > listed.length) print(context.errors, `... and ${rejectedCount - listed.length} more`);
  if (rejectedCount > 0) throw new CliError(`${rejectedCount} lines were rejected`);
}

async function* readBatches(
  files: readonly ImportFile[],
  context: CliContext,
  onRead: (byteCount: number) => void,
): AsyncGenerator<Batch, void, undefined> {
  for (const file of files) {
    let lines: NumberedLine[] = [];
    let bytes = 0;
    for await (const found of linesOf(file, context, onRead)) {
      const line = withId(found, file.origin);
      if (lines.length > 0 && (lines.length >= linesPerBatch || bytes + line.bytes.length > bytesPerBatch)) {
        yield { file, lines };
        lines = [];
        bytes = 0;
      }
      lines.push(line);
      bytes += line.bytes.length + 1;
    }
    if (lines.length > 0) yield { file, lines };
    if (file.isParquet) onRead(file.bytes);
  }
}

/** Throws `CliError` that names the file. */
async function* linesOf(
  file: ImportFile,
  context: CliContext,
  onRead: (byteCount: number) => void,
): AsyncGenerator<NumberedLine> {
  if (file.isParquet) return yield* parquetLines(file.path);
  const input = file.path === "-" ? context.input : createReadStream(file.path, { highWaterMark: 256 * 1024 });
  try {
    yield* numberedLines(unzipped(counted(input, onRead)), maxLineBytes);
  } catch (error) {
    throw new CliError(`${file.path} cannot be read to its end: ${messageOf(error)}`);
  }
}

async function* counted(
  input: AsyncIterable<Buffer | string>,
  onRead: (byteCount: number) => void,
): AsyncGenerator<Buffer | string> {
  for await (const chunk of input) {
    onRead(chunk.length);
    yield chunk;
  }
}
