/**
 * What must be known of a regular expression before DuckDB's RE2 gets it: its capturing groups. Source: the syntax
 * page of RE2.
 */

interface CapturingGroup {
  /** The offset of the opening parenthesis, and the one after the closing parenthesis. */
  readonly start: number;
  readonly end: number;
  /** True outside of other groups and before no repetition but `?`. */
  readonly isPlain: boolean;
}

export interface RegexpShape {
  readonly groups: readonly CapturingGroup[];
  /** There is a `|` outside of groups. */
  readonly hasAlternatives: boolean;
  /** There is a `(?i)` or the like outside of groups, elsewhere than at the start. */
  readonly hasInnerFlags: boolean;
}

/** Behind the class that begins at `at`. */
function skipClass(pattern: string, at: number): number {
  let end = at + 1;
  if (pattern[end] === "^") end++;
  if (pattern[end] === "]") end++;
  while (end < pattern.length && pattern[end] !== "]") {
    if (pattern[end] === "\\") end += 2;
    else if (pattern.startsWith("[:", end) && pattern.includes(":]", end)) end = pattern.indexOf(":]", end) + 2;
    else end++;
  }
  return end + 1;
}

/** Finds groups and alternatives; throws for parentheses without a partner. Whatever else is wrong, RE2 will tell. */
export function readShape(pattern: string): RegexpShape {
  const open: { readonly start: number; readonly isCapturing: boolean; readonly index: number }[] = [];
  const groups: (CapturingGroup | undefined)[] = [];
  let hasAlternatives = false;
  let hasInnerFlags = false;
  for (let at = 0; at < pattern.length; ) {
    const character = pattern[at];
    if (character === "\\") {
      if (pattern[at + 1] === "Q") {
        const end = pattern.indexOf("\\E", at + 2);
        at = end === -1 ? pattern.length : end + 2;
      } else at += 2;
    } else if (character === "[") at = skipClass(pattern, at);
    else if (character === "(") {
      const flags = /^\(\?[a-zA-Z-]*\)/.exec(pattern.slice(at, at + 16))?.[0];
      if (flags !== undefined) {
        hasInnerFlags ||= at > 0 && open.length === 0;
        at += flags.length;
        continue;
      }
      const isCapturing = !pattern.startsWith("(?", at) || /^\(\?P?</.test(pattern.slice(at, at + 4));
      open.push({ start: at, isCapturing, index: groups.length });
      if (isCapturing) groups.push(undefined);
      at++;
    } else if (character === ")") {
      const group = open.pop();
      if (group === undefined) throw new Error(`Invalid regular expression: unexpected ): ${pattern}`);
      at++;
      const isPlain = open.length === 0 && !/^[*+{]/.test(pattern.slice(at));
      if (group.isCapturing) groups[group.index] = { start: group.start, end: at, isPlain };
    } else {
      if (character === "|" && open.length === 0) hasAlternatives = true;
      at++;
    }
  }
  if (open.length > 0) throw new Error(`Invalid regular expression: missing ): ${pattern}`);
  return { groups: groups.filter((group) => group !== undefined), hasAlternatives, hasInnerFlags };
}

/** 0 or 1; throws for more groups, which the extracting functions do not take. */
export function countGroups(pattern: string): number {
  const count = readShape(pattern).groups.length;
  if (count > 1) {
    throw new Error("Regular expressions passed into extraction functions must not have more than 1 capturing group");
  }
  return count;
}

/** Text before a match, as little as possible, as a group of its own. */
export const GAP = "(?s-U:(.*?))";

/**
 * The expression with four groups: the text before a match, what of the match comes before the part that counts (the
 * capturing group, or the whole match), that part, and what comes after. Throws where a group stands so that the rest
 * cannot be captured.
 */
export function splitAtGroup(pattern: string): string {
  const shape = readShape(pattern);
  if (countGroups(pattern) === 0) return `${GAP}()(${pattern})()`;
  const [group] = shape.groups;
  if (group?.isPlain !== true || shape.hasAlternatives || shape.hasInnerFlags) {
    throw new Error(
      "REGEXP_INSTR: a capturing group inside another group, an alternative or a repetition is not supported",
    );
  }
  const flags = /^(?:\(\?[a-zA-Z-]*\))?/.exec(pattern)?.[0] ?? "";
  const optional = /^\?{0,2}/.exec(pattern.slice(group.end))?.[0] ?? "";
  const [before, after] = [pattern.slice(flags.length, group.start), pattern.slice(group.end + optional.length)];
  return `${GAP}${flags}(${before})${pattern.slice(group.start, group.end)}${optional}(${after})`;
}

/**
 * The replacement itself; throws where RE2 would not take it: an escape of anything but a digit or backslash, or a
 * group that is not there.
 */
export function checkReplacement(pattern: string, replacement: string): string {
  const groupCount = readShape(pattern).groups.length;
  for (const [sequence, digit] of replacement.matchAll(/\\(?:(\d)|\\|[\s\S]?)/g)) {
    if (digit === undefined && sequence !== "\\\\") {
      throw new Error("Invalid REGEXP_REPLACE pattern: a backslash must be followed by a digit or a backslash");
    }
    if (Number(digit ?? 0) > groupCount) {
      throw new Error(`Invalid REGEXP_REPLACE pattern: there is no group ${digit}; the expression has ${groupCount}`);
    }
  }
  return replacement;
}

/** A pattern over BYTES as one over text of a character a byte, where `\C` is any character. */
export function latin1Pattern(pattern: string): string {
  return pattern.replace(/\\(?:Q.*?(?:\\E|$)|.)/gs, (part) => (part === "\\C" ? "(?s:.)" : part));
}
