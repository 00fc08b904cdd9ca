import { closeSync, copyFileSync, mkdtempSync, openSync, readSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom, type Random } from "../../src/demo/random.ts";
import { openDatabase } from "../../src/engines/duckdb/driver/connection.ts";
import { verifyStoreFile } from "../../src/engines/duckdb/file/verify-file.ts";
import { openDuckDbEngine } from "../../src/engines/duckdb/index.ts";

/** The headers of a store's file. */
const HEADER_BYTES = 3 * 4096;
const signal = new AbortController().signal;

async function makeStore(directory: string, rowCount: number): Promise<string> {
  const engine = await openDuckDbEngine({ directory, threads: 1 });
  await engine.store.ensureSource({ name: "edge", knownFields: [] });
  const random = createRandom(3);
  const events = Array.from({ length: rowCount }, (_, index) => ({
    id: `event ${index}`,
    hasGeneratedId: false,
    timestampUs: BigInt(index),
    eventMessage: `${random.next()}`.repeat(4),
    fields: { status: index % 600, metadata: { path: `/${random.next()}`, tags: [index, 2] } },
  }));
  await engine.store.append("edge", events, signal);
  await engine.close();
  return join(directory, "events.duckdb");
}

/** A checksum over all values of the events' table. */
async function readValues(path: string): Promise<unknown> {
  const database = await openDatabase({ path, isReadOnly: true, threads: 1, memoryLimitBytes: 256 * 1024 ** 2 });
  try {
    const connection = await database.connect();
    const rows = await connection.all("SELECT count(*)::VARCHAR, bit_xor(hash(t))::VARCHAR FROM events_1 AS t");
    connection.close();
    return rows;
  } finally {
    database.close();
  }
}

/** Flips one bit of a file. */
function flip(path: string, at: number, bit: number): void {
  const file = openSync(path, "r+");
  const byte = Buffer.alloc(1);
  readSync(file, byte, 0, 1, at);
  writeSync(file, Buffer.from([(byte[0] ?? 0) ^ (1 << bit)]), 0, 1, at);
  closeSync(file);
}

/** The position of the flipped bit: every fifth one is in the headers. */
function choosePlace(random: Random, index: number, size: number): number {
  const start = index % 5 === 0 ? 0 : HEADER_BYTES;
  const end = index % 5 === 0 ? HEADER_BYTES : size;
  return start + Math.floor(random.next() * (end - start));
}

/** The tests of a store file with flipped bits. */
export function testDamagedStore({ flips, rowCount }: { readonly flips: number; readonly rowCount: number }): void {
  describe("a store file with one flipped bit", () => {
    let folder: string;
    let file: string;
    let values: unknown;
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "logweir-damaged-"));
      file = await makeStore(join(folder, "store"), rowCount);
      values = await readValues(file);
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it("is reported as damaged, unless no value that is read has changed", { timeout: 600_000 }, async () => {
      const random = createRandom(11);
      const { size } = statSync(file);
      const copy = join(folder, "copy.duckdb");
      expect((await verifyStoreFile(file)).damages).toEqual([]);
      let found = 0;
      for (let index = 0; index < flips; index++) {
        copyFileSync(file, copy);
        const at = choosePlace(random, index, size);
        flip(copy, at, index % 8);
        const { damages } = await verifyStoreFile(copy);
        if (damages.length === 0) {
          expect([at, await readValues(copy)]).toEqual([at, values]);
          continue;
        }
        found++;
        expect(damages[0]).toMatch(/copy\.duckdb: the block at byte \d+ does not fit its checksum/);
        const place = Number(/byte (\d+)/.exec(damages[0] ?? "")?.[1]);
        expect([at, at - place < 262_144 && at >= place]).toEqual([at, true]);
      }
      expect(found).toBeGreaterThan(flips / 2);
    });
  });
}
