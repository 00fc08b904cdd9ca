/**
 * FarmHash's Fingerprint64, whose values never change: for up to 64 bytes by length, beyond in blocks of 64 bytes.
 * Source: the published definition of the farmhashna variant of FarmHash.
 */

const K0 = 0xc3a5c85c97cb3127n;
const K1 = 0xb492b66fbe98f273n;
const K2 = 0x9ae16a3b2f90404fn;
const MASK = 0xffff_ffff_ffff_ffffn;

type Pair = readonly [bigint, bigint];

function multiply(a: bigint, b: bigint): bigint {
  return (a * b) & MASK;
}

function add(...values: readonly bigint[]): bigint {
  return values.reduce((sum, value) => sum + value, 0n) & MASK;
}

function rotate(value: bigint, shift: bigint): bigint {
  return ((value >> shift) | (value << (64n - shift))) & MASK;
}

function shiftMix(value: bigint): bigint {
  return value ^ (value >> 47n);
}

function hashPair(u: bigint, v: bigint, factor: bigint): bigint {
  const a = shiftMix(multiply(u ^ v, factor));
  return multiply(shiftMix(multiply(v ^ a, factor)), factor);
}

/** Mixes 32 bytes at `at` with two seeds. */
function weakHash(bytes: DataView, at: number, seedA: bigint, seedB: bigint): Pair {
  const [w, x, y, z] = [0, 8, 16, 24].map((step) => bytes.getBigUint64(at + step, true)) as [
    bigint,
    bigint,
    bigint,
    bigint,
  ];
  const a = add(seedA, w);
  const sum = add(a, x, y);
  return [add(sum, z), add(rotate(add(seedB, a, z), 21n), rotate(sum, 44n), a)];
}

function upTo16(bytes: DataView, length: number): bigint {
  const factor = add(K2, BigInt(length) * 2n);
  if (length >= 8) {
    const a = add(bytes.getBigUint64(0, true), K2);
    const b = bytes.getBigUint64(length - 8, true);
    const c = add(multiply(rotate(b, 37n), factor), a);
    const d = multiply(add(rotate(a, 25n), b), factor);
    return hashPair(c, d, factor);
  }
  if (length >= 4) {
    const a = BigInt(bytes.getUint32(0, true));
    return hashPair(BigInt(length) + (a << 3n), BigInt(bytes.getUint32(length - 4, true)), factor);
  }
  if (length === 0) return K2;
  const y = BigInt(bytes.getUint8(0) + (bytes.getUint8(length >> 1) << 8));
  const z = BigInt(length + (bytes.getUint8(length - 1) << 2));
  return multiply(shiftMix(multiply(y, K2) ^ multiply(z, K0)), K2);
}

function upTo64(bytes: DataView, length: number): bigint {
  const at = (offset: number) => bytes.getBigUint64(offset, true);
  const factor = add(K2, BigInt(length) * 2n);
  const isShort = length <= 32;
  const a = multiply(at(0), isShort ? K1 : K2);
  const b = at(8);
  const c = multiply(at(length - 8), factor);
  const d = multiply(at(length - 16), K2);
  const y = add(rotate(add(a, b), 43n), rotate(c, 30n), d);
  const z = hashPair(y, add(a, rotate(add(b, K2), 18n), c), factor);
  if (isShort) return z;
  const e = multiply(at(16), factor);
  const f = at(24);
  const g = multiply(add(y, at(length - 32)), factor);
  const h = multiply(add(z, at(length - 24)), factor);
  return hashPair(add(rotate(add(e, f), 43n), rotate(g, 30n), h), add(e, rotate(add(f, a), 18n), g), factor);
}

function inBlocks(bytes: DataView, length: number): bigint {
  const at = (offset: number) => bytes.getBigUint64(offset, true);
  const seed = 81n;
  let y = add(multiply(seed, K1), 113n);
  let z = multiply(shiftMix(add(multiply(y, K2), 113n)), K2);
  let x = add(multiply(seed, K2), at(0));
  let v: Pair = [0n, 0n];
  let w: Pair = [0n, 0n];
  const end = Math.floor((length - 1) / 64) * 64;
  const tail = (length - 1) & 63;

  const mix = (block: number, factor: bigint, wFactor: bigint): void => {
    x = multiply(rotate(add(x, y, v[0], at(block + 8)), 37n), factor);
    y = multiply(rotate(add(y, v[1], at(block + 48)), 42n), factor);
    x ^= multiply(w[1], wFactor);
    y = add(y, multiply(v[0], wFactor), at(block + 40));
    z = multiply(rotate(add(z, w[0]), 33n), factor);
    v = weakHash(bytes, block, multiply(v[1], factor), add(x, w[0]));
    w = weakHash(bytes, block + 32, add(z, w[1]), add(y, at(block + 16)));
    [z, x] = [x, z];
  };

  for (let block = 0; block < end; block += 64) mix(block, K1, 1n);
  const factor = add(K1, (z & 0xffn) << 1n);
  w = [add(w[0], BigInt(tail)), w[1]];
  v = [add(v[0], w[0]), v[1]];
  w = [add(w[0], v[0]), w[1]];
  mix(end + tail - 63, factor, 9n);
  return hashPair(
    add(hashPair(v[0], w[0], factor), multiply(shiftMix(y), K0), z),
    add(hashPair(v[1], w[1], factor), x),
    factor,
  );
}

/** The fingerprint as a signed 64-bit integer. */
export function farmFingerprint(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = bytes.byteLength;
  const hash = length <= 16 ? upTo16(view, length) : length <= 64 ? upTo64(view, length) : inBlocks(view, length);
  return BigInt.asIntN(64, hash);
}
