import type { FunctionDefinition } from "../types.ts";

function define(name: string, summary: string, signature: string): FunctionDefinition {
  return { name, kind: "scalar", signatures: [signature], area: "net", summary };
}

/** Functions of network addresses and URLs. */
export const netFunctions: readonly FunctionDefinition[] = [
  define("NET.HOST", "The host of a URL; NULL when it has none", "(STRING) -> STRING"),
  define("NET.IPV4_FROM_INT64", "An IPv4 address from its integer, as 4 bytes", "(INT64) -> BYTES"),
  define("NET.IPV4_TO_INT64", "An IPv4 address of 4 bytes as an integer", "(BYTES) -> INT64"),
  define("NET.IP_FROM_STRING", "An address from its text, as 4 or 16 bytes", "(STRING) -> BYTES"),
  define("NET.IP_NET_MASK", "A network mask of 4 or 16 bytes whose first bits are set", "(INT64, INT64) -> BYTES"),
  define("NET.IP_TO_STRING", "An address of 4 or 16 bytes as text", "(BYTES) -> STRING"),
  define("NET.IP_TRUNC", "The network of an address, by the length of its prefix", "(BYTES, INT64) -> BYTES"),
  define(
    "NET.PUBLIC_SUFFIX",
    "The public suffix of a URL's host, such as co.uk, by the list of publicsuffix.org with its private section; NULL when it has none",
    "(STRING) -> STRING",
  ),
  define(
    "NET.REG_DOMAIN",
    "The registrable domain of a URL's host: its public suffix and the label before it",
    "(STRING) -> STRING",
  ),
  define("NET.SAFE_IP_FROM_STRING", "As NET.IP_FROM_STRING, but NULL for an invalid address", "(STRING) -> BYTES"),
];
