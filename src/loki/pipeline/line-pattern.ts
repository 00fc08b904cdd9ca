/** A part of a pattern: text, or what is captured between two texts, without a name for `<_>`. */
type Part = { readonly text: string } | { readonly capture: string | undefined };

/**
 * Throws `Error` for a pattern that a parser or a filter cannot have: parsers name a capture, filters name none, and
 * two captures have text between them.
 */
export function checkPattern(pattern: string, purpose: "parser" | "filter"): readonly Part[] {
  const parts: Part[] = [];
  let copied = 0;
  for (const found of pattern.matchAll(/<([A-Za-z_]\w*)>/g)) {
    if (found.index > copied) parts.push({ text: pattern.slice(copied, found.index) });
    const [{ length }, name = ""] = found;
    if (purpose === "filter" && name !== "_") throw new Error(`a filter's pattern has no named captures: <${name}>`);
    const previous = parts.at(-1);
    if (previous !== undefined && "capture" in previous) throw new Error("a pattern has text between two captures");
    if (name !== "_" && parts.some((each) => "capture" in each && each.capture === name)) {
      throw new Error(`a pattern names the capture ${name} twice`);
    }
    parts.push({ capture: name === "_" ? undefined : name });
    copied = found.index + length;
  }
  if (copied < pattern.length) parts.push({ text: pattern.slice(copied) });
  if (purpose === "parser" && !parts.some((each) => "capture" in each && each.capture !== undefined)) {
    throw new Error("a pattern has at least one named capture such as <method>");
  }
  return parts;
}

/**
 * Reads the captures of a line. A text that is not found leaves the rest of the line to the capture before it, and
 * nothing to those behind it, as in Loki.
 */
export function compilePattern(pattern: string): (line: string) => ReadonlyMap<string, string> {
  const parts = checkPattern(pattern, "parser");
  return (line) => {
    const found = new Map<string, string>();
    if (line === "") return found;
    let at = 0;
    for (const [index, part] of parts.entries()) {
      if ("text" in part) {
        // Behind a capture it was found already.
        if (index === 0 && !line.startsWith(part.text)) return found;
        at += part.text.length;
        continue;
      }
      const next = parts[index + 1];
      const end = next !== undefined && "text" in next ? line.indexOf(next.text, at) : -1;
      if (part.capture !== undefined) found.set(part.capture, line.slice(at, end === -1 ? undefined : end));
      if (end === -1) return found;
      at = end;
    }
    return found;
  };
}

/**
 * Whether a line has the form of a filter's pattern, in which `<_>` is any text but an empty one. As in Loki, a text is
 * looked for where it comes first, and what stands before the first of them does not matter.
 */
export function compilePatternFilter(pattern: string): (line: string) => boolean {
  const parts = checkPattern(pattern, "filter");
  const endsWithCapture = !("text" in (parts.at(-1) ?? { text: "" }));
  return (line) => {
    let at = 0;
    for (const [index, part] of parts.entries()) {
      if (!("text" in part)) continue;
      const found = line.indexOf(part.text, at);
      if (found === -1 || (index > 0 && found === at)) return false;
      at = found + part.text.length;
    }
    return endsWithCapture === at < line.length;
  };
}
