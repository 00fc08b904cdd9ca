/**
 * Quantile sketches for KLL_QUANTILES.*: sorted values with weights, exact while there are few different ones and
 * thinned out afterwards to groups of equal weight, so that a rank is off by less than 1/precision. Their bytes are
 * our own format, not BigQuery's: `LWK1`, type, precision (4 bytes), then value and weight of each entry (8 bytes
 * each), ascending.
 */

export type KllType = "INT64" | "FLOAT64";
type KllValue = bigint | number;

interface Entry {
  readonly value: KllValue;
  readonly weight: bigint;
}

export interface KllSketch {
  readonly type: KllType;
  readonly precision: number;
  readonly entries: readonly Entry[];
}

const MAGIC = [0x4c, 0x57, 0x4b, 0x31];
const HEADER_BYTES = 9;
const ENTRY_BYTES = 16;
const MAX_PRECISION = 100_000;
/** Entries for each unit of precision: sketches stay well inside their bound through several merges. */
const ENTRIES_PER_PRECISION = 16;

/** NaN is the least value, as in ORDER BY. */
function compareValues(a: Entry, b: Entry): number {
  if (Number.isNaN(a.value) || Number.isNaN(b.value))
    return Number(Number.isNaN(b.value)) - Number(Number.isNaN(a.value));
  return a.value < b.value ? -1 : a.value > b.value ? 1 : 0;
}

function join(entries: readonly Entry[]): Entry[] {
  const joined: Entry[] = [];
  for (const entry of [...entries].sort(compareValues)) {
    const last = joined.at(-1);
    if (last === undefined || compareValues(last, entry) !== 0) joined.push(entry);
    else joined[joined.length - 1] = { value: last.value, weight: last.weight + entry.weight };
  }
  return joined;
}

function totalWeight(entries: readonly Entry[]): bigint {
  return entries.reduce((sum, { weight }) => sum + weight, 0n);
}

/**
 * Groups neighbours to at most about `limit` entries, each for the value in the middle of its group; the extremes
 * stay.
 */
function thin(entries: readonly Entry[], limit: number): readonly Entry[] {
  if (entries.length <= limit) return entries;
  const [first, ...others] = entries;
  const last = others.pop();
  if (first === undefined || last === undefined) return entries;
  const share = totalWeight(others) / BigInt(limit - 2) + 1n;
  const thinned: Entry[] = [first];
  let group: Entry[] = [];
  let weight = 0n;
  const close = () => {
    let passed = 0n;
    const middle = group.find((entry) => {
      passed += entry.weight;
      return passed * 2n >= weight;
    });
    if (middle !== undefined) thinned.push({ value: middle.value, weight });
    group = [];
    weight = 0n;
  };
  for (const entry of others) {
    group.push(entry);
    weight += entry.weight;
    if (weight >= share) close();
  }
  close();
  thinned.push(last);
  return thinned;
}

function make(type: KllType, precision: number, entries: readonly Entry[]): KllSketch {
  if (precision < 1 || precision > MAX_PRECISION) {
    throw new Error(`KLL_QUANTILES: the precision must be from 1 to ${MAX_PRECISION}, not ${precision}`);
  }
  return { type, precision, entries: thin(join(entries), Math.max(precision * ENTRIES_PER_PRECISION, 64)) };
}

/** A sketch of these values. */
export function createKll(type: KllType, values: readonly KllValue[], precision: number): KllSketch {
  return make(
    type,
    precision,
    values.map((value) => ({ value, weight: 1n })),
  );
}

/** One sketch of two, of the lower precision. */
export function mergeKll(a: KllSketch, b: KllSketch): KllSketch {
  if (a.type !== b.type) throw new Error("KLL_QUANTILES: sketches of values of different types cannot be merged");
  return make(a.type, Math.min(a.precision, b.precision), [...a.entries, ...b.entries]);
}

/** The value of a rank, counted from 1. */
function valueAt({ entries }: KllSketch, rank: bigint): KllValue {
  let passed = 0n;
  for (const { value, weight } of entries) {
    passed += weight;
    if (passed >= rank) return value;
  }
  return entries.at(-1)?.value ?? Number.NaN;
}

/** The `groups + 1` boundaries of groups of equal size, the extremes included. */
export function quantilesOf(sketch: KllSketch, groups: number): KllValue[] {
  if (groups < 1 || groups > MAX_PRECISION) {
    throw new Error(`KLL_QUANTILES: the number of groups must be from 1 to ${MAX_PRECISION}`);
  }
  const total = totalWeight(sketch.entries);
  return Array.from({ length: groups + 1 }, (_, i) => {
    const rank = (total * BigInt(i) + BigInt(groups) - 1n) / BigInt(groups);
    return valueAt(sketch, rank === 0n ? 1n : rank);
  });
}

/** The value at a share of the ranks, from 0 to 1. */
export function pointOf(sketch: KllSketch, share: number): KllValue {
  if (!(share >= 0 && share <= 1)) throw new Error("KLL_QUANTILES: the point must be from 0 to 1");
  const rank = BigInt(Math.ceil(share * Number(totalWeight(sketch.entries))));
  return valueAt(sketch, rank === 0n ? 1n : rank);
}

export function encodeKll({ type, precision, entries }: KllSketch): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES + entries.length * ENTRY_BYTES);
  bytes.set([...MAGIC, type === "INT64" ? 1 : 2]);
  const view = new DataView(bytes.buffer);
  view.setUint32(5, precision);
  entries.forEach(({ value, weight }, i) => {
    const at = HEADER_BYTES + i * ENTRY_BYTES;
    if (typeof value === "bigint") view.setBigInt64(at, value);
    else view.setFloat64(at, value);
    view.setBigUint64(at + 8, weight);
  });
  return bytes;
}

/** Reads a sketch of this type (of any type without one); throws if the bytes are not a sketch. */
export function decodeKll(bytes: Uint8Array, wanted?: KllType): KllSketch {
  const body = bytes.length - HEADER_BYTES;
  const code = bytes[4];
  if (
    MAGIC.some((byte, i) => bytes[i] !== byte) ||
    (code !== 1 && code !== 2) ||
    body <= 0 ||
    body % ENTRY_BYTES !== 0
  ) {
    throw new Error("KLL_QUANTILES: the argument is no sketch of KLL_QUANTILES.INIT_* or MERGE_PARTIAL");
  }
  const type = code === 1 ? "INT64" : "FLOAT64";
  if (wanted !== undefined && wanted !== type)
    throw new Error(`KLL_QUANTILES: the sketch is of ${type} values, not of ${wanted}`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const entries = Array.from({ length: body / ENTRY_BYTES }, (_, i) => {
    const at = HEADER_BYTES + i * ENTRY_BYTES;
    return { value: type === "INT64" ? view.getBigInt64(at) : view.getFloat64(at), weight: view.getBigUint64(at + 8) };
  });
  return make(type, view.getUint32(5), entries);
}
