import { BlockList, isIP } from "node:net";

const familyOf = (text: string) => (isIP(text) === 6 ? "ipv6" : "ipv4");

/** Throws `Error` for what is no address, `A-B` or prefix (`10.0.0.0/8`). */
export function compileIpRange(range: string): (text: string) => boolean {
  const list = new BlockList();
  const [first = "", last] = range.split("-").map((each) => each.trim());
  const [base = "", prefix] = first.split("/");
  try {
    if (isIP(base) === 0 || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) throw new Error("no address");
    if (last !== undefined) list.addRange(base, last, familyOf(base));
    else if (prefix !== undefined) list.addSubnet(base, Number(prefix), familyOf(base));
    else list.addAddress(base, familyOf(base));
  } catch {
    throw new Error(`invalid range of addresses ${range}`);
  }
  return (text) => isIP(text) !== 0 && list.check(text, familyOf(text));
}

/** The beginnings that an address may have, and the characters that it goes on with. */
const candidates = [
  [/\d(?:\.|[\s\S]\.|[\s\S]{2}\.)/y, /[\d.]*/y],
  [/(?:::[\da-f]|[\da-f]{1,4}:)/iy, /[\da-f:.]*/iy],
] as const;

/** Whether one of the addresses in a text is in the range, found as Loki finds them. Throws `Error` as `compileIpRange`. */
export function compileIpSearch(range: string): (text: string) => boolean {
  const isIn = compileIpRange(range);
  return (text) => {
    for (let at = 0; at < text.length; at++) {
      const found = candidateAt(text, at);
      if (found === undefined) continue;
      if (isIn(found)) return true;
      at += found.length;
    }
    return false;
  };
}

function candidateAt(text: string, at: number): string | undefined {
  for (const [hint, characters] of candidates) {
    hint.lastIndex = at;
    if (!hint.test(text)) continue;
    characters.lastIndex = at;
    return characters.exec(text)?.[0];
  }
  return undefined;
}
