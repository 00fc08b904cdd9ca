import type { TextRange } from "../text-range.ts";

/** RFC 5321's bounds, so that each `@` is looked around a bounded number of characters. */
const maxLocalLength = 64;
const maxDomainLength = 253;

const localCharacter = /[\p{L}\p{N}._%+'=~-]/u;
const domainAt = /[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,10}/uy;
/** The last label is a name, not a number: `user@10.0.0.1` and `pkg@1.2.3` are no addresses. */
const topLevel = /\.(?:\p{L}{2,63}|xn--[A-Za-z0-9-]{1,59})$/u;
/** Pictures for screens of several densities: `logo@2x.png`. */
const density = /^\dx\./;

/** E-mail addresses (RFC 5321's mailboxes with plain local parts), from left to right. */
export function findEmailAddresses(text: string): readonly TextRange[] {
  const found: TextRange[] = [];
  let previousEnd = 0;
  for (let at = text.indexOf("@"); at !== -1; at = text.indexOf("@", at + 1)) {
    if (at < previousEnd) continue;
    const start = findStart(text, at, previousEnd);
    const end = findEnd(text, at + 1);
    if (start === at || end === undefined) continue;
    found.push({ start, end });
    previousEnd = end;
  }
  return found;
}

function findStart(text: string, at: number, from: number): number {
  const lowest = Math.max(from, at - maxLocalLength);
  let start = at;
  while (start > lowest && localCharacter.test(text[start - 1] ?? "")) start--;
  // What cannot begin a mailbox belongs to the text around it: quotes, `to=`, dots of an ellipsis.
  const lead = /^(?:.*=(?=[^=]))?[.'%~-]*/.exec(text.slice(start, at))?.[0].length ?? 0;
  return start + lead;
}

function findEnd(text: string, start: number): number | undefined {
  domainAt.lastIndex = start;
  const match = domainAt.exec(text)?.[0].slice(0, maxDomainLength);
  if (match === undefined || density.test(match)) return undefined;
  // A sentence may end in a dot, and go on without a space in a number or a name that is no domain.
  for (let domain = match; domain.includes("."); domain = domain.slice(0, domain.lastIndexOf("."))) {
    if (topLevel.test(domain)) return start + domain.length;
  }
  return undefined;
}
