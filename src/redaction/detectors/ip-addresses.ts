/**
 * Finds IP addresses in text: IPv4, IPv6 in every printed form of RFC 4291 and RFC 5952, IPv4-mapped ones, each with
 * its zone (RFC 4007), brackets and port (RFC 3986) or prefix length (RFC 4632). One pass; every character is looked
 * at a bounded number of times, whatever the text.
 */
import type { TextRange } from "../text-range.ts";

const candidate = /[0-9A-Fa-f]{0,5}:[0-9A-Fa-f:]*|[0-9]{1,4}(?=\.[0-9])/g;
const octet = /(?:25[0-5]|2[0-4]\d|1\d\d|0?\d?\d)/.source;
const ipv4At = new RegExp(`(?:${octet}\\.){3}${octet}(?![0-9]|\\.[0-9])(?![A-Za-z_])`, "y");
const portAt = /:(\d{1,5})(?![0-9]|:[0-9A-Fa-f])/y;
const prefixAt = /\/(\d{1,3})(?![0-9A-Za-z./])/y;
const zoneAt = /%(?:25)?[0-9A-Za-z](?:[0-9A-Za-z_.~-]{0,62}[0-9A-Za-z_])?/y;

/** The addresses of a text, from left to right, none touching another. */
export function findIpAddresses(text: string): readonly TextRange[] {
  const found: TextRange[] = [];
  candidate.lastIndex = 0;
  for (let match = candidate.exec(text); match !== null; match = candidate.exec(text)) {
    const run = { start: match.index, end: match.index + match[0].length };
    const range = match[0].includes(":") ? findIpv6(text, run) : findIpv4(text, run.start);
    if (range === undefined) continue;
    found.push(range);
    candidate.lastIndex = Math.max(range.end, run.end);
  }
  return found;
}

/** True when the character before `index` does not belong to a word or number that goes on at `index`. */
function isStart(text: string, index: number): boolean {
  if (index === 0) return true;
  const before = text[index - 1] ?? "";
  if (before === ".") return !/[0-9]/.test(text[index - 2] ?? "");
  if (!/[\p{L}\p{N}]/u.test(before)) return true;
  // In text that was escaped once more, `\n` stands before an address as a backslash and a letter.
  return /[nrt]/.test(before) && text[index - 2] === "\\";
}

function findIpv4(text: string, start: number): TextRange | undefined {
  if (!isStart(text, start)) return undefined;
  const end = matchAt(ipv4At, text, start);
  return end === undefined ? undefined : { start, end: endOfSuffix(text, end, 32) };
}

/** The end of a port or of a prefix length that follows an address at `end`; `end` where neither does. */
function endOfSuffix(text: string, end: number, maxPrefix: number): number {
  return numberAt(portAt, text, end, 65_535) ?? numberAt(prefixAt, text, end, maxPrefix) ?? end;
}

function numberAt(pattern: RegExp, text: string, index: number, maximum: number): number | undefined {
  pattern.lastIndex = index;
  const match = pattern.exec(text);
  return match !== null && Number(match[1]) <= maximum ? index + match[0].length : undefined;
}

function matchAt(pattern: RegExp, text: string, index: number): number | undefined {
  pattern.lastIndex = index;
  const match = pattern.exec(text);
  return match === null ? undefined : index + match[0].length;
}

/** An IPv6 address in a run of hexadecimal digits and colons, or the IPv4 address whose first octet ends the run. */
function findIpv6(text: string, run: TextRange): TextRange | undefined {
  const lastColon = text.lastIndexOf(":", run.end - 1);
  const ipv4End = text[run.end] === "." ? matchAt(ipv4At, text, lastColon + 1) : undefined;
  if (ipv4End !== undefined) {
    const start = trimStart(text, run.start, run.end);
    // The IPv4 part stands for the last two groups.
    if (isIpv6(`${text.slice(start, lastColon + 1)}0:0`)) {
      return withSuffixes(text, start, ipv4End);
    }
    return findIpv4(text, lastColon + 1);
  }
  const start = trimStart(text, run.start, run.end);
  const end = trimEnd(text, start, run.end);
  if (end <= start) return undefined;
  const groups = text.slice(start, end);
  if (isIpv6(groups)) return withSuffixes(text, start, end);
  return findWithPort(groups, start);
}

/** Eight groups and a ninth that can be a port: an address and port without brackets. */
function findWithPort(groups: string, start: number): TextRange | undefined {
  const colon = groups.lastIndexOf(":");
  const port = groups.slice(colon + 1);
  const isPort = /^\d{1,5}$/.test(port) && Number(port) <= 65_535;
  return isPort && isIpv6(groups.slice(0, colon)) && !groups.includes("::")
    ? { start, end: start + groups.length }
    : undefined;
}

/** Leaves out a word's tail and its colon (`address:2001:db8::1`), and a single colon in front. */
function trimStart(text: string, start: number, end: number): number {
  let from = start;
  if (!isStart(text, start)) {
    while (from < end && text[from] !== ":") from++;
    if (text[from + 1] === ":") return end; // a scope: `std::string`
  }
  return text[from] === ":" && text[from + 1] !== ":" ? from + 1 : from;
}

/** Leaves out a single colon at the end, and the head of a word that begins behind a colon (`::1:error`). */
function trimEnd(text: string, start: number, end: number): number {
  let to = end;
  if (/[\p{L}\p{N}_]/u.test(text[end] ?? "")) {
    while (to > start && text[to - 1] !== ":") to--;
    if (text[to - 2] === ":") return start; // a cast or a scope: `x::text`
  }
  return text[to - 1] === ":" && text[to - 2] !== ":" ? to - 1 : to;
}

/** With what belongs to the address: zone, prefix length, brackets, and the port that needs them. */
function withSuffixes(text: string, start: number, end: number): TextRange {
  const zoneEnd = matchAt(zoneAt, text, end) ?? end;
  if (text[start - 1] === "[" && text[zoneEnd] === "]") {
    return { start: start - 1, end: endOfSuffix(text, zoneEnd + 1, 128) };
  }
  const hasDots = text.slice(start, end).includes(".");
  const suffixEnd = hasDots ? endOfSuffix(text, zoneEnd, 128) : numberAt(prefixAt, text, zoneEnd, 128);
  return { start, end: suffixEnd ?? zoneEnd };
}

/** True for eight groups of one to four hexadecimal digits, or fewer and one `::`. The bare `::` identifies no host. */
function isIpv6(text: string): boolean {
  // The longest address has 39 characters: what is longer is not even split.
  if (text.length > 39 || text.length < 3) return false;
  const halves = text.split("::");
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  if (!groups.every((group) => /^[0-9A-Fa-f]{1,4}$/.test(group))) return false;
  return halves.length === 2 ? groups.length <= 7 : groups.length === 8;
}
