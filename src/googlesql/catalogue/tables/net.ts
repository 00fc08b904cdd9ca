import { type FunctionDefinition, type FunctionFacts, NEVER_FAILS } from "../types.ts";

function define(name: string, summary: string, signature: string, facts: FunctionFacts = {}): FunctionDefinition {
  return { name, kind: "scalar", signatures: [signature], area: "net", summary, ...facts };
}

/** Functions of network addresses and URLs. */
export const netFunctions: readonly FunctionDefinition[] = [
  define("NET.HOST", "The host of a URL; NULL when it has none", "(STRING) -> STRING", NEVER_FAILS),
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
    NEVER_FAILS,
  ),
  define(
    "NET.REG_DOMAIN",
    "The registrable domain of a URL's host: its public suffix and the label before it",
    "(STRING) -> STRING",
    NEVER_FAILS,
  ),
  define(
    "NET.SAFE_IP_FROM_STRING",
    "As NET.IP_FROM_STRING, but NULL for an invalid address",
    "(STRING) -> BYTES",
    NEVER_FAILS,
  ),
];
