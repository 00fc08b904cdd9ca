/** Pieces that mutations put into texts. */
const pieces: readonly string[] = [
  ..."()[]{}<>,;.:*+-/%|&^~!=?@#$`'\"\\\n\t \u0000\ud800\u200b\u017f\u{1f600}0",
  ..."select|from|where|join|on|group by|having|qualify|window|order by|limit|offset|union all|except distinct|intersect".split(
    "|",
  ),
  ..."with recursive|unnest|array|struct|as|in|exists|between|like any|case when|then|else|end|cast|extract|interval".split(
    "|",
  ),
  ..."|>|=>|->|@@|::|..|/*|*/|--|'''|\"\"\"|r'|b\"|null|true|@project|edge|edge_logs|metadata|m.|s:|t:|c:|f:|-|~|@>|>=".split(
    "|",
  ),
  ..."pivot|unpivot|tablesample|for system_time as of|over (partition by|rows between|9223372036854775808|1e400|0x".split(
    "|",
  ),
];

/**
 * A source of texts: mutations of the seeds, and of what came out before. The same seed number gives the same texts.
 */
export function createMutator(seeds: readonly string[], seedNumber: number): () => string {
  const random = createRandom(seedNumber);
  const below = (count: number) => Math.floor(random() * count);
  const pick = <T>(items: readonly T[]): T | undefined => items[below(items.length)];
  const kept: string[] = [];
  const mutateOnce = (text: string): string => {
    const at = below(text.length + 1);
    const to = Math.min(text.length, at + below(12));
    switch (below(8)) {
      case 0:
        return text.slice(0, at) + text.slice(to);
      case 1:
        return text.slice(0, at) + (pick(pieces) ?? "") + text.slice(at);
      case 2:
        return `${text.slice(0, at)} ${pick(pieces) ?? ""} ${text.slice(to)}`;
      case 3:
        return text.slice(0, to) + text.slice(at, to).repeat(1 + below(20)) + text.slice(to);
      case 4: {
        const other = pick(seeds) ?? "";
        return text.slice(0, at) + other.slice(below(other.length + 1));
      }
      case 5: {
        const other = pick(seeds) ?? "";
        return `${text.slice(0, at)}(${other})${text.slice(to)}`;
      }
      case 6:
        return text.slice(0, at) + String.fromCodePoint(below(0x3000)) + text.slice(at);
      default: {
        const words = text.split(/(\s+)/);
        const [left, right] = [below(words.length), below(words.length)];
        const swapped = words.map((word, index) =>
          index === left ? (words[right] ?? "") : index === right ? (words[left] ?? "") : word,
        );
        return swapped.join("");
      }
    }
  };
  return () => {
    let text = (below(4) === 0 ? pick(kept) : pick(seeds)) ?? pick(seeds) ?? "";
    for (let count = below(3); count >= 0; count--) text = mutateOnce(text);
    text = text.slice(0, 20_000);
    if (kept.length < 500) kept.push(text);
    else kept[below(kept.length)] = text;
    return text;
  };
}

/** Mulberry32: small, and the same everywhere. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
