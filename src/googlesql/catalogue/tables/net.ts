import type { FunctionDefinition } from "../types.ts";

function define(name: string, summary: string, signature: string): FunctionDefinition {
  return { name, kind: "scalar", signatures: [signature], area: "net", summary };
}

/** Functions of network addresses and URLs. */
export const netFunctions: readonly FunctionDefinition[] = [
  define("NET.HOST", "The host of a URL; NULL when it has none", "(STRING) -> STRING"),
  define("NET.IPV4_FROM_INT64", "The 4 bytes of an IPv4 address from its number", "(INT64) -> BYTES"),
  define("NET.IPV4_TO_INT64", "The number of an IPv4 address of 4 bytes", "(BYTES) -> INT64"),
  define("NET.IP_FROM_STRING", "The 4 or 16 bytes of an address from its text", "(STRING) -> BYTES"),
  define("NET.IP_NET_MASK", "A network mask of 4 or 16 bytes whose first bits are set", "(INT64, INT64) -> BYTES"),
  define("NET.IP_TO_STRING", "The text of an address of 4 or 16 bytes", "(BYTES) -> STRING"),
  define("NET.IP_TRUNC", "The network of an address, by the length of its prefix", "(BYTES, INT64) -> BYTES"),
  define(
    "NET.PUBLIC_SUFFIX",
    "The public suffix of a URL's host, such as co.uk, by a built-in list of country, generic and well-known hosting suffixes; NULL when it has none",
    "(STRING) -> STRING",
  ),
  define(
    "NET.REG_DOMAIN",
    "The registrable domain of a URL's host: its public suffix and one label more",
    "(STRING) -> STRING",
  ),
  define("NET.SAFE_IP_FROM_STRING", "As NET.IP_FROM_STRING, but NULL for what is no address", "(STRING) -> BYTES"),
];
