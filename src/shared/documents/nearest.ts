/** The known name that is nearest to an unknown one, where one is near enough to be meant. Case does not count. */
export function findNearest(unknown: string, known: Iterable<string>): string | undefined {
  const wanted = unknown.toLowerCase();
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const name of known) {
    // One letter is as near to any other: no name of one letter is meant by another.
    const isLone = name.length === 1 && wanted.length === 1;
    if (isLone || Math.abs(name.length - wanted.length) > limit) continue;
    const distance = editDistance(wanted, name.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
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
