import { createHash } from "node:crypto";
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { CliError } from "../../context.ts";

/** Writes a new file to disk, and reads it back. Throws `CliError` where that is not what was written. */
export async function writeCopy(
  pieces: AsyncIterable<Buffer>,
  target: string,
  onProgress: (byteCount: number) => void = () => undefined,
): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  const file = await open(target, "wx+");
  try {
    const written = createHash("sha256");
    for await (const piece of pieces) {
      await file.writeFile(piece);
      written.update(piece);
      onProgress(piece.length);
    }
    await file.sync();
    if ((await hashFile(file)) !== written.digest("hex")) throw new CliError(`${target} is not what was written to it`);
  } finally {
    await file.close();
  }
}

async function hashFile(file: FileHandle): Promise<string> {
  const hash = createHash("sha256");
  const buffer = Buffer.alloc(1024 * 1024);
  for (let position = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return hash.digest("hex");
    hash.update(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
}
