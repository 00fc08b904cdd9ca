/** Messages grouped by what they have in common. */

export interface Pattern {
  readonly shape: string;
  readonly count: number;
  readonly sample: string;
}

interface Group {
  readonly words: readonly string[];
  readonly count: number;
  readonly sample: string;
}

/** Stands for a word that differs from one message to the next. */
const anyWord = "‹*›";
/** A word with so many values, where all else is the same, is a value itself. */
const manyValues = 4;
/** Shapes beyond are not compared with each other: it would take longer than a frame. */
const maxCompared = 2_000;

/** A message with what looks like a value taken out: ids, addresses, numbers, quoted texts. Names such as `v1` stay. */
export function shapeOf(message: string): string {
  return message
    .slice(0, 500)
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "‹id›")
    .replaceAll(/(?<![\w./])\d{1,3}(?:\.\d{1,3}){3}\b/g, "‹ip›")
    .replaceAll(/(?<![\w:])(?=[0-9a-f:]*::|(?:[0-9a-f]+:){4})(?:[0-9a-f]{1,4}::?){1,7}[0-9a-f]{1,4}(?![\w:])/gi, "‹ip›")
    .replaceAll(/\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b/gi, "‹hex›")
    .replaceAll(/"[^"]{1,200}"/g, "‹text›")
    .replaceAll(/\d+(?:[._]\d+)*/g, (digits, at: number, text: string) =>
      // Few digits within a word are part of a name, such as v1 and x86_64.
      /[A-Za-z_]/.test(text[at - 1] ?? "") && /^\d{1,2}(?:_\d{1,2})?$/.test(digits) ? digits : "‹n›",
    );
}

/** The messages by shape, the most frequent first. Shapes that differ in one word with many values become one. */
export function groupByShape(messages: readonly string[]): readonly Pattern[] {
  const counts = new Map<string, { count: number; sample: string }>();
  for (const message of messages) {
    const shape = shapeOf(message);
    const group = counts.get(shape);
    if (group === undefined) counts.set(shape, { count: 1, sample: message });
    else group.count++;
  }
  const groups = [...counts].map(([shape, group]) => ({ words: shape.split(" "), ...group }));
  const merged = groups.length > maxCompared ? groups : mergeGroups(groups);
  return merged
    .map(({ words, count, sample }) => ({ shape: words.join(" "), count, sample }))
    .sort((a, b) => b.count - a.count);
}

/** Merges word by word, from the last: what comes first in a message shows most of what it is. */
function mergeGroups(groups: readonly Group[]): readonly Group[] {
  let merged = groups;
  const longest = Math.max(0, ...groups.map(({ words }) => words.length));
  for (let place = longest - 1; place > 0; place--) merged = mergeAt(merged, place);
  return merged;
}

function mergeAt(groups: readonly Group[], place: number): readonly Group[] {
  const alike = new Map<string, Group[]>();
  for (const group of groups) {
    const rest = place < group.words.length ? group.words.with(place, anyWord) : group.words;
    const key = rest.join(" ");
    const others = alike.get(key);
    if (others === undefined) alike.set(key, [group]);
    else others.push(group);
  }
  return [...alike.values()].flatMap((each) => {
    const [first] = each;
    if (first === undefined || each.length < manyValues) return each;
    const count = each.reduce((sum, group) => sum + group.count, 0);
    return [{ words: first.words.with(place, anyWord), count, sample: first.sample }];
  });
}

/** A regular expression for messages of a shape. */
export function expressionOf(shape: string): string {
  const pattern = shape
    .split(/‹[^›]{1,4}›/)
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join(".+");
  return `^${pattern}`;
}
