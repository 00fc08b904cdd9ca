import { type Detector, defaultDetectors, findPersonalData } from "./detector.ts";
import type { TextRange } from "./text-range.ts";
import { unescapeText } from "./unescape.ts";

/** The text in place of personal data. */
const replacement = "REDACTED";
/** An escaped text may have been escaped once more: JSON in JSON, an address in a query string of a redirect. */
const maxUnescapes = 3;

/** The text with every piece of personal data replaced as a whole. Returns the same text when there is none. */
export function redactText(text: string, names: readonly Detector[] = defaultDetectors): string {
  const ranges = findAll(text, names, maxUnescapes);
  if (ranges.length === 0) return text;
  let result = "";
  let position = 0;
  for (const { start, end } of mergeOverlapping(ranges)) {
    result += text.slice(position, start) + replacement;
    position = end;
  }
  return result + text.slice(position);
}

function findAll(text: string, names: readonly Detector[], unescapes: number): readonly TextRange[] {
  const ranges = names.flatMap((name) => findPersonalData(name, text));
  const plain = unescapes === 0 ? undefined : unescapeText(text);
  if (plain === undefined) return ranges;
  return [...ranges, ...findAll(plain.text, names, unescapes - 1).map(plain.toOriginal)];
}

function mergeOverlapping(ranges: readonly TextRange[]): readonly TextRange[] {
  const merged: TextRange[] = [];
  for (const range of [...ranges].sort((left, right) => left.start - right.start)) {
    const last = merged.at(-1);
    if (last === undefined || range.start >= last.end) merged.push(range);
    else merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, range.end) };
  }
  return merged;
}
