/** IP addresses as bytes in network order. */

function parseIpv4(text: string): readonly number[] | undefined {
  if (!/^\d{1,3}(?:\.\d{1,3}){3}$/.test(text)) return undefined;
  const parts = text.split(".");
  const isValid = parts.every((part) => Number(part) <= 255 && (part === "0" || !part.startsWith("0")));
  return isValid ? parts.map(Number) : undefined;
}

/** The bytes of groups separated by single colons, the last of which may be an IPv4 address. */
function parseGroups(text: string, mayEndInIpv4: boolean): readonly number[] | undefined {
  if (text === "") return [];
  const bytes: number[] = [];
  const groups = text.split(":");
  for (const [index, group] of groups.entries()) {
    if (group.includes(".")) {
      const ipv4 = mayEndInIpv4 && index === groups.length - 1 ? parseIpv4(group) : undefined;
      if (ipv4 === undefined) return undefined;
      bytes.push(...ipv4);
    } else {
      if (!/^[0-9a-fA-F]{1,4}$/.test(group)) return undefined;
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 0xff);
    }
  }
  return bytes;
}

function parseIpv6(text: string): readonly number[] | undefined {
  if (text.length > 45) return undefined;
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const head = parseGroups(halves[0] ?? "", halves.length === 1);
  const tail = parseGroups(halves[1] ?? "", true);
  if (head === undefined || tail === undefined) return undefined;
  if (halves.length === 1) return head.length === 16 ? head : undefined;
  const missing = 16 - head.length - tail.length;
  return missing >= 2 ? [...head, ...new Array<number>(missing).fill(0), ...tail] : undefined;
}

/** The 4 or 16 bytes of an address' text, without zone, port or prefix; undefined if it is not an address. */
export function addressBytes(text: string): Uint8Array | undefined {
  const bytes = text.includes(":") ? parseIpv6(text) : parseIpv4(text);
  return bytes === undefined ? undefined : Uint8Array.from(bytes);
}

/** Where the longest run of at least two zero groups begins and ends. */
function longestZeroRun(groups: readonly number[]): readonly [number, number] {
  let best: readonly [number, number] = [0, 0];
  let start = 0;
  for (let index = 0; index <= groups.length; index++) {
    if (groups[index] === 0) continue;
    if (index - start >= 2 && index - start > best[1] - best[0]) best = [start, index];
    start = index + 1;
  }
  return best;
}

/** The text of 4 or 16 bytes; of IPv6 the form of RFC 5952. Throws for any other length. */
export function addressText(bytes: Uint8Array): string {
  if (bytes.byteLength === 4) return bytes.join(".");
  if (bytes.byteLength !== 16) {
    throw new Error(`NET.IP_TO_STRING: expected 4 (for IPv4) or 16 (for IPv6) bytes but got ${bytes.byteLength}`);
  }
  const groups = Array.from({ length: 8 }, (_, index) => ((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0));
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  const isCompatible = groups.slice(0, 6).every((group) => group === 0) && groups[6] !== 0;
  if (isMapped || isCompatible) return `::${isMapped ? "ffff:" : ""}${bytes.slice(12).join(".")}`;
  const [start, end] = longestZeroRun(groups);
  const hex = groups.map((group) => group.toString(16));
  return end === 0 ? hex.join(":") : `${hex.slice(0, start).join(":")}::${hex.slice(end).join(":")}`;
}

/** A mask of 4 or 16 bytes whose first `prefix` bits are set. */
export function networkMask(length: bigint, prefix: bigint): Uint8Array {
  if (length !== 4n && length !== 16n) {
    throw new Error(`NET.IP_NET_MASK: the first argument must be 4 (for IPv4) or 16 (for IPv6), not ${length}`);
  }
  if (prefix < 0n || prefix > length * 8n) {
    throw new Error(`NET.IP_NET_MASK: the second argument must be between 0 and ${length * 8n}, not ${prefix}`);
  }
  return Uint8Array.from({ length: Number(length) }, (_, index) => {
    const bits = Math.min(8, Math.max(0, Number(prefix) - index * 8));
    return (0xff00 >> bits) & 0xff;
  });
}

/** The address with all bits after the first `prefix` cleared. */
export function truncateAddress(bytes: Uint8Array, prefix: bigint): Uint8Array {
  const length = bytes.byteLength;
  if (length !== 4 && length !== 16) {
    throw new Error(`NET.IP_TRUNC: the first argument must have 4 (for IPv4) or 16 (for IPv6) bytes, not ${length}`);
  }
  if (prefix < 0n || prefix > BigInt(length) * 8n) {
    throw new Error(`NET.IP_TRUNC: the second argument must be between 0 and ${length * 8}, not ${prefix}`);
  }
  const mask = networkMask(BigInt(length), prefix);
  return bytes.map((byte, index) => byte & (mask[index] ?? 0));
}
