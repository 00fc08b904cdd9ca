import { lookup } from "node:dns/promises";
import { BlockList, isIP, isIPv4 } from "node:net";

/** An address that a name stands for. */
export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Finds the addresses of a name; rejects where it has none. */
export type ResolveName = (name: string) => Promise<readonly ResolvedAddress[]>;

export const resolveName: ResolveName = (name) => lookup(name, { all: true });

/**
 * Networks that are not the public internet's, by the registries of special purposes (RFC 6890 and its successors):
 * what is there belongs to the machine, its neighbours or its provider.
 */
const privateNetworks: readonly string[] = [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24"],
  ...["192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"],
  ...["224.0.0.0/4", "240.0.0.0/4"],
  // Translation for local use (RFC 8215): where an IPv4 address is in it is up to the network.
  "64:ff9b:1::/48",
  ...[
    "::/96",
    "100::/64",
    "100:0:0:1::/64",
    "2001::/23",
    "2001:db8::/32",
    "3fff::/20",
    "5f00::/16",
    "fc00::/7",
    "fe80::/10",
  ],
  ...["fec0::/10", "ff00::/8"],
];

/** Prefixes of IPv6 addresses that hold an IPv4 address, with the byte at which it begins. */
const embeddings: readonly { readonly network: string; readonly at: number }[] = [
  { network: "::ffff:0:0/96", at: 12 },
  { network: "::ffff:0:0:0/96", at: 12 },
  { network: "64:ff9b::/96", at: 12 },
  { network: "2002::/16", at: 2 },
];

const notAllowed = listNetworks(privateNetworks);

/** The destinations that drains may reach besides the public internet: host names, addresses and networks. */
export interface AllowedDestinations {
  readonly names: ReadonlySet<string>;
  readonly networks: BlockList;
}

/** The entries of a setting with commas between, without blanks around them and without empty ones. */
export function splitList(text: string): readonly string[] {
  return text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

/** The problem of a value of `private_destinations`; undefined for none. */
export function findDestinationProblem(text: string): string | undefined {
  for (const entry of splitList(text)) {
    const problem = checkDestination(entry);
    if (problem !== undefined) return `${JSON.stringify(entry)} ${problem}`;
  }
  return undefined;
}

function checkDestination(entry: string): string | undefined {
  const [address = "", prefix, ...more] = entry.split("/");
  const version = isIP(address);
  if (version === 0 && prefix === undefined) {
    return /^[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_])?$/i.test(entry) ? undefined : "is no host name";
  }
  if (version === 0) return "is no network";
  if (prefix === undefined) return undefined;
  const longest = version === 4 ? 32 : 128;
  const isPrefix = more.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= longest;
  return isPrefix ? undefined : `must have a prefix of 0 to ${longest}`;
}

/** Throws for entries that `findDestinationProblem` refuses. */
export function readDestinations(entries: readonly string[]): AllowedDestinations {
  const isNetwork = (entry: string) => isIP(entry.split("/")[0] ?? "") !== 0;
  return {
    names: new Set(entries.filter((entry) => !isNetwork(entry)).map(foldName)),
    networks: listNetworks(entries.filter(isNetwork)),
  };
}

/** Whether a connection to an address, which a host stands for, may be made. */
export function mayReach(host: string, address: string, allowed: AllowedDestinations): boolean {
  if (allowed.names.has(foldName(host))) return true;
  const plain = plainAddress(address);
  if (plain === undefined) return false;
  return !isIn(notAllowed, plain) || isIn(allowed.networks, plain);
}

/**
 * The addresses of a URL's host that may be reached. Throws an `Error` where one of them may not: a name that stands
 * for both kinds is a trap.
 */
export async function findAddresses(
  host: string,
  allowed: AllowedDestinations,
  resolve: ResolveName = resolveName,
): Promise<readonly ResolvedAddress[]> {
  const bare = host.replace(/^\[|\]$/g, "");
  const version = isIP(bare);
  const addresses = version === 0 ? await resolve(bare) : [{ address: bare, family: version }];
  for (const { address } of addresses) if (!mayReach(bare, address, allowed)) throw new PrivateDestinationError(bare);
  return addresses;
}

/** A destination is in a network that drains may not reach. */
export class PrivateDestinationError extends Error {
  override readonly name = "PrivateDestinationError";

  constructor(host: string) {
    const where = `${host.slice(0, 300)} is in a private, loopback or link-local network`;
    super(`${where}: LOGWEIR_PRIVATE_DESTINATIONS has to name it`);
  }
}

/** A list of addresses and networks (`10.1.0.0/16`). Throws where one is neither. */
export function listNetworks(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", prefix] = network.split("/");
    const type = isIPv4(address) ? "ipv4" : "ipv6";
    list.addSubnet(address, Number(prefix ?? (type === "ipv4" ? 32 : 128)), type);
  }
  return list;
}

/** True for an address among those of a list. */
export function isIn(list: BlockList, address: string): boolean {
  return list.check(address, isIPv4(address) ? "ipv4" : "ipv6");
}

const embedding = embeddings.map(({ network, at }) => ({ list: listNetworks([network]), at }));

/** An address without its zone, and the IPv4 address in place of one that embeds it; undefined for none. */
export function plainAddress(address: string): string | undefined {
  const [bare = ""] = address.split("%");
  if (isIP(bare) !== 6) return isIP(bare) === 0 ? undefined : bare;
  const found = embedding.find(({ list }) => list.check(bare, "ipv6"));
  if (found === undefined) return bare;
  return [...bytesOf(bare).subarray(found.at, found.at + 4)].join(".");
}

/** The bytes of an IPv6 address. */
function bytesOf(address: string): Uint8Array {
  // The URL parser writes the last 32 bits in hexadecimal too.
  const [head = "", tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split("::");
  const groupsOf = (text: string | undefined) => (text === undefined || text === "" ? [] : text.split(":"));
  const [before, after] = [groupsOf(head), groupsOf(tail)];
  const groups = [...before, ...Array<string>(8 - before.length - after.length).fill("0"), ...after];
  return Uint8Array.from(
    groups.flatMap((group) => {
      const number = Number.parseInt(group, 16);
      return [number >>> 8, number & 0xff];
    }),
  );
}

/** A name with a dot at its end is the same. */
function foldName(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}
