/** Functions of network addresses and URLs. Source: the "Net functions" page of the GoogleSQL reference. */

import { NEVER_FAILS } from "../../googlesql/catalogue/types.ts";
import { defineFunction, type ScalarFunction } from "../scalar-function.ts";
import { addressBytes, addressText, networkMask, truncateAddress } from "./ip-address.ts";
import { hostOf, publicSuffixOf, registrableDomainOf } from "./url-host.ts";

function fromNumber(value: bigint): Uint8Array {
  if (value < -0x80000000n || value > 0xffffffffn) {
    throw new Error(`NET.IPV4_FROM_INT64: ${value} is no IPv4 address; expected -0x80000000 to 0xFFFFFFFF`);
  }
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, Number(BigInt.asUintN(32, value)));
  return bytes;
}

function toNumber(bytes: Uint8Array): bigint {
  if (bytes.byteLength !== 4) throw new Error(`NET.IPV4_TO_INT64: expected 4 bytes but got ${bytes.byteLength}`);
  return BigInt(new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0));
}

function fromText(text: string): Uint8Array {
  const bytes = addressBytes(text);
  if (bytes === undefined) throw new Error(`NET.IP_FROM_STRING: ${JSON.stringify(text)} is no IP address`);
  return bytes;
}

export const netFunctions: readonly ScalarFunction[] = [
  defineFunction("lw_net_host", ["STRING"], "STRING", (url) => hostOf(url) ?? null, NEVER_FAILS),
  defineFunction("lw_net_public_suffix", ["STRING"], "STRING", (url) => publicSuffixOf(url) ?? null, NEVER_FAILS),
  defineFunction("lw_net_reg_domain", ["STRING"], "STRING", (url) => registrableDomainOf(url) ?? null, NEVER_FAILS),
  defineFunction("lw_net_ipv4_from_int64", ["INT64"], "BYTES", fromNumber),
  defineFunction("lw_net_ipv4_to_int64", ["BYTES"], "INT64", toNumber),
  defineFunction("lw_net_ip_from_string", ["STRING"], "BYTES", fromText),
  defineFunction("lw_net_safe_ip_from_string", ["STRING"], "BYTES", (text) => addressBytes(text) ?? null, NEVER_FAILS),
  defineFunction("lw_net_ip_to_string", ["BYTES"], "STRING", addressText),
  defineFunction("lw_net_ip_net_mask", ["INT64", "INT64"], "BYTES", networkMask),
  defineFunction("lw_net_ip_trunc", ["BYTES", "INT64"], "BYTES", truncateAddress),
];
