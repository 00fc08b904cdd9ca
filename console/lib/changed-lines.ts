import { diffArrays } from "diff";

/** A line of both texts (` `), of the old one only (`-`), or of the new one only (`+`). */
export interface DiffLine {
  readonly op: " " | "+" | "-";
  readonly text: string;
}

/** Changed lines until all of the old text precedes all of the new one: this runs at every key. */
const maxDifferences = 500;

/** The lines of two texts, with as few changes as possible. */
export function changedLines(before: string, after: string): readonly DiffLine[] {
  const [old, fresh] = [before.split("\n"), after.split("\n")];
  const changes = diffArrays(old, fresh, { maxEditLength: maxDifferences }) ?? [
    { removed: true, added: false, value: old },
    { removed: false, added: true, value: fresh },
  ];
  return changes.flatMap(({ added, removed, value }) => {
    const op = removed ? "-" : added ? "+" : " ";
    return value.map((text): DiffLine => ({ op, text }));
  });
}
