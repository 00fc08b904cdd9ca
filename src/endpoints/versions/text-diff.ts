/** A line of a comparison: of both texts (` `), of the old one only (`-`), or of the new one only (`+`). */
export interface DiffLine {
  readonly op: " " | "-" | "+";
  readonly text: string;
}

/** What the two texts' differing middles may cost: beyond it, all of one stands before all of the other. */
const maxCells = 4_000_000;

/** The lines of two texts, with as few changes as possible. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const a = before.split(/\r?\n/);
  const b = after.split(/\r?\n/);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return [
    ...mark(" ", a.slice(0, start)),
    ...diffMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...mark(" ", a.slice(a.length - end)),
  ];
}

function mark(op: DiffLine["op"], lines: readonly string[]): DiffLine[] {
  return lines.map((text) => ({ op, text }));
}

/** By the longest common subsequence of lines. */
function diffMiddle(a: readonly string[], b: readonly string[]): DiffLine[] {
  if (a.length * b.length > maxCells) return [...mark("-", a), ...mark("+", b)];
  const width = b.length + 1;
  // The length of the longest common subsequence of the rests from (i, j) on.
  const common = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const [left = "", right = ""] = [a[i], b[j]];
    if (left === right) {
      lines.push({ op: " ", text: left });
      i++;
      j++;
    } else if (at(i + 1, j) >= at(i, j + 1)) lines.push({ op: "-", text: a[i++] ?? "" });
    else lines.push({ op: "+", text: b[j++] ?? "" });
  }
  return [...lines, ...mark("-", a.slice(i)), ...mark("+", b.slice(j))];
}
