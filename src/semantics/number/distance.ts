/** COSINE_DISTANCE and EUCLIDEAN_DISTANCE of dense vectors (doubles) and of sparse ones (keys beside their values). */
import { defineFunction, type ScalarFunction } from "../scalar-function.ts";

type Vector = readonly (number | null)[];
type Distance = (pairs: readonly (readonly [number, number])[]) => number;

function cosineDistance(pairs: readonly (readonly [number, number])[]): number {
  let product = 0;
  let left = 0;
  let right = 0;
  for (const [x, y] of pairs) {
    product += x * y;
    left += x * x;
    right += y * y;
  }
  if (left === 0 || right === 0) throw new Error("COSINE_DISTANCE: cannot compute the angle of a zero vector");
  return 1 - product / (Math.sqrt(left) * Math.sqrt(right));
}

function euclideanDistance(pairs: readonly (readonly [number, number])[]): number {
  return Math.sqrt(pairs.reduce((sum, [x, y]) => sum + (x - y) ** 2, 0));
}

function present(name: string, value: number | null | undefined): number {
  if (value === null || value === undefined) throw new Error(`${name}: a vector must not hold NULL`);
  return value;
}

function dense(name: string, distance: Distance): (left: Vector, right: Vector) => number {
  return (left, right) => {
    if (left.length !== right.length) {
      throw new Error(`${name}: the vectors differ in length: ${left.length} and ${right.length}`);
    }
    return distance(left.map((x, i) => [present(name, x), present(name, right[i])] as const));
  };
}

function readSparse(name: string, keys: readonly (string | null)[], values: Vector): Map<string, number> {
  const vector = new Map<string, number>();
  keys.forEach((key, i) => {
    if (key === null) throw new Error(`${name}: a key must not be NULL`);
    if (vector.has(key)) throw new Error(`${name}: the key ${key} stands twice in a vector`);
    vector.set(key, present(name, values[i]));
  });
  return vector;
}

function sparse(name: string, distance: Distance) {
  return (leftKeys: readonly (string | null)[], left: Vector, rightKeys: readonly (string | null)[], right: Vector) => {
    const x = readSparse(name, leftKeys, left);
    const y = readSparse(name, rightKeys, right);
    return distance([...new Set([...x.keys(), ...y.keys()])].map((key) => [x.get(key) ?? 0, y.get(key) ?? 0] as const));
  };
}

const SPARSE = ["STRING[]", "FLOAT64[]", "STRING[]", "FLOAT64[]"] as const;

export const distanceFunctions: readonly ScalarFunction[] = [
  defineFunction("lw_cosine_distance", ["FLOAT64[]", "FLOAT64[]"], "FLOAT64", dense("COSINE_DISTANCE", cosineDistance)),
  defineFunction(
    "lw_euclidean_distance",
    ["FLOAT64[]", "FLOAT64[]"],
    "FLOAT64",
    dense("EUCLIDEAN_DISTANCE", euclideanDistance),
  ),
  defineFunction("lw_sparse_cosine_distance", SPARSE, "FLOAT64", sparse("COSINE_DISTANCE", cosineDistance)),
  defineFunction("lw_sparse_euclidean_distance", SPARSE, "FLOAT64", sparse("EUCLIDEAN_DISTANCE", euclideanDistance)),
];
