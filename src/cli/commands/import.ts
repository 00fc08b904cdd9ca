import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { type CliContext, CliError, print, printJson } from "../context.ts";
import { type NumberedLine, numberedLines, unzipped } from "../input/numbered-lines.ts";
import { type LineSender, sendLines } from "../input/send-lines.ts";
import { createImportProgress } from "../output/import-progress.ts";
import { createServiceClient, isServiceThere, type ServiceOptions } from "../service-call.ts";

export interface ImportOptions extends ServiceOptions {
  readonly source: string;
  readonly json?: boolean;
}

const linesPerBatch = 1_000;
const bytesPerBatch = 4_000_000;
const requestsInFlight = 4;
/** A single event beyond this is refused by any service. */
const maxLineBytes = 64_000_000;
const maxListed = 100;

interface Batch {
  readonly file: string;
  readonly lines: readonly NumberedLine[];
}

interface Rejection {
  readonly file: string;
  readonly line: number;
  readonly reason: string;
}

/**
 * Sends NDJSON files, plain or gzip, to a running service; `-` is standard input. Memory does not depend on their size.
 * Fails when lines were rejected, after all others are stored.
 */
export async function importFiles(
  files: readonly string[],
  options: ImportOptions,
  context: CliContext,
): Promise<void> {
  const sender: LineSender = { client: createServiceClient(options, context), source: options.source, sleep };
  const totalBytes = await sumSizes(files);
  // From here on, a service that does not answer is assumed to be restarting.
  if (!(await isServiceThere(options, context))) throw new CliError(`No service answers at ${sender.client.url}`);
  const progress = createImportProgress(context.errors, totalBytes, () => performance.now());
  let [accepted, rejectedCount, readBytes] = [0, 0, 0];
  const listed: Rejection[] = [];
  const batches = readBatches(files, context, (count) => {
    readBytes += count;
  });
  const work = async () => {
    for (let next = await batches.next(); next.done !== true; next = await batches.next()) {
      const { file, lines } = next.value;
      const outcome = await sendLines(sender, lines);
      accepted += outcome.accepted;
      rejectedCount += outcome.rejected.length;
      for (const each of outcome.rejected) if (listed.length < maxListed) listed.push({ file, ...each });
      progress.update(accepted, readBytes);
    }
  };
  try {
    await Promise.all(Array.from({ length: requestsInFlight }, work));
  } catch (error) {
    progress.end();
    const reason = error instanceof Error ? error.message : String(error);
    const again =
      "what was not acknowledged is not stored; events with ids of their own can be imported again without harm";
    throw new CliError(`${reason}\nThe import stopped: ${accepted} events are stored, ${again}.`);
  } finally {
    await batches.return(undefined);
  }
  progress.end();
  report({ accepted, rejectedCount, listed }, options, context);
}

function report(
  { accepted, rejectedCount, listed }: { accepted: number; rejectedCount: number; listed: readonly Rejection[] },
  options: ImportOptions,
  context: CliContext,
): void {
  if (options.json === true) printJson(context.output, { accepted, rejected_count: rejectedCount, rejected: listed });
  else print(context.output, `${accepted} events stored in ${options.source}, ${rejectedCount} lines rejected.`);
  for (const { file, line, reason } of listed) print(context.errors, `${file}:${line}: ${reason}`);
  if (rejectedCount > listed.length) print(context.errors, `... and ${rejectedCount - listed.length} more`);
  if (rejectedCount > 0) throw new CliError(`${rejectedCount} lines were rejected`);
}

/** Undefined when it is not known beforehand. Throws when a file is missing, before anything is sent. */
async function sumSizes(files: readonly string[]): Promise<number | undefined> {
  let sum = 0;
  for (const file of files) {
    if (file === "-") continue;
    const info = await stat(file).catch(() => {
      throw new CliError(`There is no file ${file}`);
    });
    if (info.isDirectory()) throw new CliError(`${file} is a folder`);
    sum += info.size;
  }
  return files.includes("-") ? undefined : sum;
}

async function* readBatches(
  files: readonly string[],
  context: CliContext,
  onRead: (byteCount: number) => void,
): AsyncGenerator<Batch, void, undefined> {
  for (const file of files) {
    const input = file === "-" ? context.input : createReadStream(file, { highWaterMark: 256 * 1024 });
    let lines: NumberedLine[] = [];
    let bytes = 0;
    for await (const line of numberedLines(unzipped(counted(input, onRead)), maxLineBytes)) {
      if (lines.length > 0 && (lines.length >= linesPerBatch || bytes + line.bytes.length > bytesPerBatch)) {
        yield { file, lines };
        lines = [];
        bytes = 0;
      }
      lines.push(line);
      bytes += line.bytes.length + 1;
    }
    if (lines.length > 0) yield { file, lines };
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
