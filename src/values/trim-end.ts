/**
 * The text without any of these characters at its end. Takes time linear in what is removed, where `/x+$/` takes
 * quadratic time for a long run of them that does not stand at the end.
 */
export function trimEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** The same for both ends. */
export function trimBoth(text: string, characters: string): string {
  const trimmed = trimEnd(text, characters);
  let start = 0;
  while (start < trimmed.length && characters.includes(trimmed.charAt(start))) start++;
  return trimmed.slice(start);
}
