/** A line of both texts (` `), of the old one only (`-`), or of the new one only (`+`). */
export interface DiffLine {
  readonly op: " " | "+" | "-";
  readonly text: string;
}

/** What an edit changed: the lines between the first and the last that differ, those of the old text before those of the new one. */
export function changedLines(before: string, after: string): readonly DiffLine[] {
  const [old, fresh] = [before.split("\n"), after.split("\n")];
  const shorter = Math.min(old.length, fresh.length);
  let start = 0;
  while (start < shorter && old[start] === fresh[start]) start++;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === fresh.at(-1 - end)) end++;
  const mark = (op: DiffLine["op"], lines: readonly string[]) => lines.map((text): DiffLine => ({ op, text }));
  return [
    ...mark(" ", old.slice(0, start)),
    ...mark("-", old.slice(start, old.length - end)),
    ...mark("+", fresh.slice(start, fresh.length - end)),
    ...mark(" ", old.slice(old.length - end)),
  ];
}
