/** The known name that is nearest to an unknown one, where one is near enough to be meant. Case does not count. */
export function findNearest(unknown: string, known: Iterable<string>): string | undefined {
  const wanted = unknown.toLowerCase();
  const limit = limitOf(wanted);
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const name of known) {
    if (Math.abs(name.length - wanted.length) > limit) continue;
    const distance = editDistance(wanted, name.toLowerCase(), bestDistance);
    if (distance < bestDistance && areWordsNear(wanted.split("_"), name.toLowerCase().split("_"))) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

/** So many letters may be wrong. */
const limitOf = (word: string) => Math.max(1, Math.floor(word.length / 3));

/**
 * A misspelling changes letters, and no word into another: `date_part` does not mean `date_add`. One letter is as near
 * to any other: no word of one letter means another.
 */
function areWordsNear(wanted: readonly string[], known: readonly string[]): boolean {
  return (
    wanted.length !== known.length ||
    wanted.every((word, index) => {
      const other = known[index] ?? "";
      const limit = word.length === 1 && other.length === 1 ? 0 : limitOf(word);
      return editDistance(word, other, limit + 1) <= limit;
    })
  );
}

/** Levenshtein's distance with neighbouring letters swapped as one step; stops counting at `bound`. */
function editDistance(a: string, b: string, bound: number): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1);
      row.push(cost);
      least = Math.min(least, cost);
    }
    if (least >= bound) return bound;
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? bound;
}
