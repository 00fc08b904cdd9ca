/**
 * One sketch of those in a list, in base64, since a list of BLOBs does not cross into JavaScript; undefined where all
 * of it is NULL.
 */
export function mergeTexts<Sketch>(
  texts: readonly (string | null)[],
  decode: (bytes: Uint8Array) => Sketch,
  merge: (left: Sketch, right: Sketch) => Sketch,
): Sketch | undefined {
  let merged: Sketch | undefined;
  for (const text of texts) {
    if (text === null) continue;
    const sketch = decode(Buffer.from(text, "base64"));
    merged = merged === undefined ? sketch : merge(merged, sketch);
  }
  return merged;
}
