/**
 * Finds the blocks of a store's file that hold nothing. The file begins with three headers of 4 KB: its own, and two of
 * which the one with the higher iteration counts. That one points to a list of free blocks, which is written in pieces
 * of 4,088 bytes: a pointer to the next piece, then the number of blocks and their numbers, sorted. A pointer has the
 * number of a block in its lower 56 bits, and that of the piece in the block above them.
 */
import { type FileHandle, open } from "node:fs/promises";
import { BlockChecker } from "./block-checker.ts";

const headerBytes = 4096;
const firstBlock = 3 * headerBytes;
const blockBytes = 262_144;
const checksumBytes = 8;
const pieceBytes = 4088;
const pointerBytes = 8;
const nowhere = 0xffff_ffff_ffff_ffffn;

/**
 * Where the blocks begin that hold nothing for whoever opens the file as it is on disk, without its log. None where the
 * list of them is not exactly as expected: then every block counts as in use. Must not be called in the process that
 * has the file open, which would lose its lock.
 */
export async function findUnusedBlocks(path: string): Promise<ReadonlySet<number>> {
  const file = await open(path, "r");
  try {
    const header = await readHeader(file);
    if (header === undefined || header.freeList === nowhere) return new Set();
    const numbers = await readList(file, header.freeList, header.blockCount);
    return new Set(numbers.map((number) => firstBlock + number * blockBytes));
  } finally {
    await file.close();
  }
}

interface Header {
  readonly freeList: bigint;
  readonly blockCount: number;
}

async function readHeader(file: FileHandle): Promise<Header | undefined> {
  const bytes = await readChecked(file, 0, firstBlock);
  if (bytes === undefined) return undefined;
  const [first, second] = [1, 2].map((number) => bytes.subarray(number * headerBytes + checksumBytes));
  if (first === undefined || second === undefined) return undefined;
  const active = first.readBigUInt64LE(0) > second.readBigUInt64LE(0) ? first : second;
  if (active.readBigUInt64LE(32) !== BigInt(blockBytes)) return undefined;
  return { freeList: active.readBigUInt64LE(16), blockCount: Number(active.readBigUInt64LE(24)) };
}

/** Undefined where the bytes do not fit their checksums. */
async function readChecked(file: FileHandle, position: number, size: number): Promise<Buffer | undefined> {
  const bytes = Buffer.alloc(size);
  const { bytesRead } = await file.read(bytes, 0, size, position);
  const checker = new BlockChecker(position);
  checker.push(bytes);
  return bytesRead === size && checker.damages().length === 0 ? bytes : undefined;
}

/** The numbers in the list; none where they are not sorted, or one is a block of the list itself. */
async function readList(file: FileHandle, start: bigint, blockCount: number): Promise<readonly number[]> {
  const own = new Set<number>();
  const numbers: number[] = [];
  let left: number | undefined;
  for (let pointer = start; left !== 0; ) {
    if (pointer === nowhere) return [];
    const block = Number(pointer & 0xff_ffff_ffff_ffffn);
    const bytes = await readChecked(file, firstBlock + block * blockBytes, blockBytes);
    if (bytes === undefined || block >= blockCount) return [];
    own.add(block);
    const from = checksumBytes + Number(pointer >> 56n) * pieceBytes;
    const piece = bytes.subarray(from, from + pieceBytes);
    if (piece.length < pieceBytes) return [];
    pointer = piece.readBigUInt64LE(0);
    let at = pointerBytes;
    if (left === undefined) {
      left = Number(piece.readBigUInt64LE(at));
      at += 8;
    }
    if (left > blockCount) return [];
    // Pieces end at whole numbers: all of the list has eight bytes each.
    for (; left > 0 && at < pieceBytes; left--, at += 8) {
      const number = Number(piece.readBigUInt64LE(at));
      if (number >= blockCount || number <= (numbers.at(-1) ?? -1)) return [];
      numbers.push(number);
    }
  }
  return numbers.some((number) => own.has(number)) ? [] : numbers;
}
