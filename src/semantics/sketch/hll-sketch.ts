/**
 * HyperLogLog++ sketches: sets of 63-bit hashes, kept exactly while they are few and as 2^precision registers of
 * leading-zero counts afterwards. Their bytes are our own format, not BigQuery's: `LWH1`, type code, precision, 0
 * (hashes, 8 bytes each, ascending) or 1 (registers, a byte each). Sources: Heule et al., "HyperLogLog in Practice";
 * Ertl, "New cardinality estimation algorithms for HyperLogLog sketches".
 */

const MAGIC = [0x4c, 0x57, 0x48, 0x31];
const HEADER_BYTES = 7;
const HASH_BITS = 63;

// The bounds of a precision.
const MIN_PRECISION = 10;
const MAX_PRECISION = 24;

export interface Sketch {
  /** Which type the values had: sketches of different types cannot be merged. */
  readonly typeCode: number;
  readonly precision: number;
  readonly content:
    | { readonly kind: "hashes"; readonly hashes: ReadonlySet<bigint> }
    | { readonly kind: "registers"; readonly registers: Uint8Array };
}

/** As many hashes as take the room of the registers. */
function maxHashes(precision: number): number {
  return 2 ** precision / 8;
}

/** Puts a hash, of which `bits` bits count, into registers. */
function addHash(registers: Uint8Array, precision: number, hash: bigint, bits: number): void {
  const rest = bits - precision;
  const index = Number(hash >> BigInt(rest));
  const tail = hash & ((1n << BigInt(rest)) - 1n);
  const rank = tail === 0n ? rest + 1 : rest - tail.toString(2).length + 1;
  if (rank > (registers[index] ?? 0)) registers[index] = rank;
}

function toRegisters(hashes: Iterable<bigint>, precision: number): Uint8Array {
  const registers = new Uint8Array(2 ** precision);
  for (const hash of hashes) addHash(registers, precision, hash, HASH_BITS);
  return registers;
}

/** Registers of a lower precision, as if they had been filled with it. */
function lowerRegisters(registers: Uint8Array, from: number, to: number): Uint8Array {
  if (from === to) return registers;
  const lowered = new Uint8Array(2 ** to);
  const dropped = from - to;
  registers.forEach((rank, index) => {
    if (rank === 0) return;
    const target = index >> dropped;
    const tail = index & (2 ** dropped - 1);
    const newRank = tail === 0 ? rank + dropped : dropped - tail.toString(2).length + 1;
    if (newRank > (lowered[target] ?? 0)) lowered[target] = newRank;
  });
  return lowered;
}

/** A sketch of these hashes. */
export function createSketch(hashes: Iterable<bigint>, precision: number, typeCode: number): Sketch {
  if (precision < MIN_PRECISION || precision > MAX_PRECISION) {
    throw new Error(`HLL_COUNT: the precision must be from ${MIN_PRECISION} to ${MAX_PRECISION}, not ${precision}`);
  }
  const set = new Set(hashes);
  return {
    typeCode,
    precision,
    content:
      set.size <= maxHashes(precision)
        ? { kind: "hashes", hashes: set }
        : { kind: "registers", registers: toRegisters(set, precision) },
  };
}

/** One sketch of two, of the lower precision. */
export function mergeSketches(a: Sketch, b: Sketch): Sketch {
  if (a.typeCode !== b.typeCode) throw new Error("HLL_COUNT: sketches of values of different types cannot be merged");
  const precision = Math.min(a.precision, b.precision);
  if (a.content.kind === "hashes" && b.content.kind === "hashes") {
    return createSketch([...a.content.hashes, ...b.content.hashes], precision, a.typeCode);
  }
  const registersOf = ({ content, precision: own }: Sketch): Uint8Array =>
    content.kind === "hashes"
      ? toRegisters(content.hashes, precision)
      : lowerRegisters(content.registers, own, precision);
  const other = registersOf(b);
  const registers = registersOf(a).map((rank, index) => Math.max(rank, other[index] ?? 0));
  return { typeCode: a.typeCode, precision, content: { kind: "registers", registers } };
}

function sigma(x: number): number {
  if (x === 1) return Number.POSITIVE_INFINITY;
  let power = x;
  let weight = 1;
  let sum = x;
  for (let previous = Number.NaN; sum !== previous; ) {
    power *= power;
    previous = sum;
    sum += power * weight;
    weight *= 2;
  }
  return sum;
}

function tau(x: number): number {
  if (x === 0 || x === 1) return 0;
  let root = x;
  let weight = 1;
  let sum = 1 - x;
  for (let previous = Number.NaN; sum !== previous; ) {
    root = Math.sqrt(root);
    previous = sum;
    weight /= 2;
    sum -= (1 - root) ** 2 * weight;
  }
  return sum / 3;
}

/** How many different values the sketch has seen: exact for few, Ertl's improved estimate for many. */
export function estimate({ content, precision }: Sketch): bigint {
  if (content.kind === "hashes") return BigInt(content.hashes.size);
  const size = content.registers.length;
  const maxRank = HASH_BITS - precision + 1;
  const counts = new Array<number>(maxRank + 1).fill(0);
  for (const rank of content.registers) counts[rank] = (counts[rank] ?? 0) + 1;
  let z = size * tau(1 - (counts[maxRank] ?? 0) / size);
  for (let rank = maxRank - 1; rank >= 1; rank--) z = (z + (counts[rank] ?? 0)) / 2;
  z += size * sigma((counts[0] ?? 0) / size);
  return BigInt(Math.round(size ** 2 / (2 * Math.LN2 * z)));
}

export function encodeSketch({ typeCode, precision, content }: Sketch): Uint8Array {
  const isSparse = content.kind === "hashes";
  const header = [...MAGIC, typeCode, precision, isSparse ? 0 : 1];
  if (!isSparse) return Uint8Array.from([...header, ...content.registers]);
  const bytes = new Uint8Array(HEADER_BYTES + content.hashes.size * 8);
  bytes.set(header);
  const view = new DataView(bytes.buffer);
  const sorted = BigUint64Array.from(content.hashes).sort();
  sorted.forEach((hash, i) => {
    view.setBigUint64(HEADER_BYTES + i * 8, hash);
  });
  return bytes;
}

/** Reads a sketch; throws if the bytes are not a sketch. */
export function decodeSketch(bytes: Uint8Array): Sketch {
  const fail = (): never => {
    throw new Error("HLL_COUNT: the argument is no sketch of HLL_COUNT.INIT or HLL_COUNT.MERGE_PARTIAL");
  };
  const [, , , , typeCode = 0, precision = 0, form] = bytes;
  if (MAGIC.some((byte, i) => bytes[i] !== byte) || precision < MIN_PRECISION || precision > MAX_PRECISION) fail();
  const body = bytes.subarray(HEADER_BYTES);
  if (form === 0 && body.length % 8 === 0) {
    const view = new DataView(body.buffer, body.byteOffset, body.length);
    const hashes = Array.from({ length: body.length / 8 }, (_, i) => view.getBigUint64(i * 8));
    if (hashes.some((hash) => hash >> BigInt(HASH_BITS) !== 0n)) fail();
    return createSketch(hashes, precision, typeCode);
  }
  if (form !== 1 || body.length !== 2 ** precision || body.some((rank) => rank > HASH_BITS - precision + 1)) fail();
  return { typeCode, precision, content: { kind: "registers", registers: body } };
}
