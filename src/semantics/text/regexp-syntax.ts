/** Reads the capturing groups of a regular expression before DuckDB's RE2 gets it. Source: the syntax page of RE2. */

interface CapturingGroup {
  /** The offset of the opening parenthesis, and the one after the closing parenthesis. */
  readonly start: number;
  readonly end: number;
  /** True outside of other groups. */
  readonly isOutermost: boolean;
}

export interface RegexpShape {
  readonly groups: readonly CapturingGroup[];
  /** The offsets of each `|` outside of groups. */
  readonly alternatives: readonly number[];
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

/** Finds groups and alternatives; throws for parentheses without a partner. Whatever else is wrong, RE2 reports. */
export function readShape(pattern: string): RegexpShape {
  const open: { readonly start: number; readonly isCapturing: boolean; readonly index: number }[] = [];
  const groups: (CapturingGroup | undefined)[] = [];
  const alternatives: number[] = [];
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
      if (group.isCapturing) groups[group.index] = { start: group.start, end: at, isOutermost: open.length === 0 };
    } else {
      if (character === "|" && open.length === 0) alternatives.push(at);
      at++;
    }
  }
  if (open.length > 0) throw new Error(`Invalid regular expression: missing ): ${pattern}`);
  return { groups: groups.filter((group) => group !== undefined), alternatives, hasInnerFlags };
}

/** Writes each `(?<name>` as `(?P<name>`, which every RE2 knows. Throws for parentheses without a partner. */
export function spellNames(pattern: string): string {
  if (!pattern.includes("(?<")) return pattern;
  const starts = readShape(pattern)
    .groups.map(({ start }) => start)
    .filter((at) => /^\(\?<\w/.test(pattern.slice(at, at + 4)));
  return starts.reduceRight((text, at) => `${text.slice(0, at)}(?P${text.slice(at + 2)}`, pattern);
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

const REPETITION = /^(?:(?:[*+?]|\{\d+(?:,\d*)?\})\??)?/;

/**
 * The expression with four groups: the text before a match, the match, what of it ends with the capturing group and its
 * repetitions (empty without such a group), and that group, which is the last repetition and so ends there too. Throws
 * where a group stands so that the text before it cannot be captured.
 */
export function splitAtGroup(pattern: string): string {
  const { groups, alternatives, hasInnerFlags } = readShape(pattern);
  if (countGroups(pattern) === 0) return `${GAP}(${pattern})()()`;
  const [group] = groups;
  if (group?.isOutermost !== true || hasInnerFlags) {
    throw new Error("REGEXP_INSTR: a capturing group inside another group, or behind inner flags, is not supported");
  }
  const flags = /^(?:\(\?[a-zA-Z-]*\))?/.exec(pattern)?.[0] ?? "";
  const branch = (alternatives.findLast((at) => at < group.start) ?? flags.length - 1) + 1;
  const end = group.end + (REPETITION.exec(pattern.slice(group.end))?.[0].length ?? 0);
  const [others, through, rest] = [pattern.slice(flags.length, branch), pattern.slice(branch, end), pattern.slice(end)];
  return `${GAP}${flags}(${others}(${through})${rest})`;
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
