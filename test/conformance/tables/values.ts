/** FLOAT64 values, NULL among them, as a query writes them. */
export type Float = number | null;

/** The value as an expression of type FLOAT64. */
export function printFloat(value: Float): string {
  if (value === null) return "CAST(NULL AS FLOAT64)";
  if (Number.isNaN(value)) return "CAST('nan' AS FLOAT64)";
  if (!Number.isFinite(value)) return `CAST('${value > 0 ? "" : "-"}inf' AS FLOAT64)`;
  return `CAST(${value} AS FLOAT64)`;
}

/** `FROM UNNEST([...]) x`: one row a value. */
export function fromFloats(values: readonly Float[]): string {
  return `FROM UNNEST(ARRAY<FLOAT64>[${values.map(printFloat).join(", ")}]) x`;
}

/** The order of ORDER BY: NULL, NaN, then by size. */
export function compareFloats(a: Float, b: Float): number {
  const rank = (value: Float) => (value === null ? 0 : Number.isNaN(value) ? 1 : 2);
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  return a === null || b === null || Number.isNaN(a) || a === b ? 0 : a < b ? -1 : 1;
}

/** All lists of one to `most` of the values, in every order, repeated ones too. */
export function lists<T>(values: readonly T[], most: number): readonly (readonly T[])[] {
  if (most === 0) return [];
  const shorter = lists(values, most - 1);
  const longest = shorter.filter((list) => list.length === most - 1);
  const from = most === 1 ? [[]] : longest;
  return [...shorter, ...from.flatMap((list) => values.map((value) => [...list, value]))];
}
