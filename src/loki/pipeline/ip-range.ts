import { BlockList, isIP } from "node:net";

const address = /(?<![\w:.])(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7})(?![\w:.]*[\w:])/g;

const familyOf = (text: string) => (isIP(text) === 6 ? "ipv6" : "ipv4");

/** Throws `Error` for what is no address, `A-B` or prefix (`10.0.0.0/8`). */
export function compileIpRange(range: string): (text: string) => boolean {
  const list = new BlockList();
  const [first = "", last] = range.split("-").map((each) => each.trim());
  const [base = "", prefix] = first.split("/");
  if (isIP(base) === 0 || (last !== undefined && isIP(last) === 0))
    throw new Error(`invalid range of addresses ${range}`);
  if (last !== undefined) list.addRange(base, last, familyOf(base));
  else if (prefix !== undefined) list.addSubnet(base, Number(prefix), familyOf(base));
  else list.addAddress(base, familyOf(base));
  return (text) => isIP(text) !== 0 && list.check(text, familyOf(text));
}

/** Whether one of the addresses in a text is in the range. Throws `Error` as `compileIpRange`. */
export function compileIpSearch(range: string): (text: string) => boolean {
  const isIn = compileIpRange(range);
  return (text) => [...text.matchAll(address)].some(([found]) => isIn(found));
}
