import { type BackupHead, ByteReader } from "../../../backups/backup-stream.ts";
import { loadByteChecker } from "../../../engines/index.ts";
import { type CliContext, CliError } from "../../context.ts";
import { createServiceClient, describeAnswer, type ServiceOptions } from "../../service-call.ts";

/**
 * Where blocks of a running service's store do not fit their checksums, in words; its bytes are read as a backup, and
 * not kept.
 */
export async function checkServiceBlocks(options: ServiceOptions, context: CliContext): Promise<readonly string[]> {
  const response = await createServiceClient(options, context).send("/api/store/backup");
  if (!response.ok || response.body === null) throw new CliError(await describeAnswer(response));
  const reader = new ByteReader(response.body as AsyncIterable<Uint8Array>);
  const createChecker = await loadByteChecker();
  const head = await reader.line();
  if (head === undefined)
    throw new CliError("The store could not be read to its end. Look at the service's log and try again");
  const { files } = JSON.parse(head) as BackupHead;
  const damages: string[] = [];
  for (const { path, bytes } of files) {
    const checker = createChecker();
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
