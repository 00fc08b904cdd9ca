import { type Detector, defaultDetectors, findPersonalData } from "./detector.ts";
import type { TextRange } from "./text-range.ts";

/** What stands in place of personal data. */
const replacement = "REDACTED";

/** The text with every piece of personal data replaced as a whole. Answers the very same text when there is none. */
export function redactText(text: string, names: readonly Detector[] = defaultDetectors): string {
  const ranges = names.flatMap((name) => findPersonalData(name, text));
  if (ranges.length === 0) return text;
  let result = "";
  let position = 0;
  for (const { start, end } of mergeOverlapping(ranges)) {
    result += text.slice(position, start) + replacement;
    position = end;
  }
  return result + text.slice(position);
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
