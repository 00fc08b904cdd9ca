/** Functions of network addresses and URLs. Source: the "Net functions" page of the GoogleSQL reference. */
import { addressBytes, addressText, networkMask, truncateAddress } from "./ip-address.ts";
import { defineUdf, type ScalarUdf } from "./udf.ts";
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

export const netUdfs: readonly ScalarUdf[] = [
  defineUdf("lw_net_host", ["VARCHAR"], "VARCHAR", (url) => hostOf(url) ?? null),
  defineUdf("lw_net_public_suffix", ["VARCHAR"], "VARCHAR", (url) => publicSuffixOf(url) ?? null),
  defineUdf("lw_net_reg_domain", ["VARCHAR"], "VARCHAR", (url) => registrableDomainOf(url) ?? null),
  defineUdf("lw_net_ipv4_from_int64", ["BIGINT"], "BLOB", fromNumber),
  defineUdf("lw_net_ipv4_to_int64", ["BLOB"], "BIGINT", toNumber),
  defineUdf("lw_net_ip_from_string", ["VARCHAR"], "BLOB", fromText),
  defineUdf("lw_net_safe_ip_from_string", ["VARCHAR"], "BLOB", (text) => addressBytes(text) ?? null),
  defineUdf("lw_net_ip_to_string", ["BLOB"], "VARCHAR", addressText),
  defineUdf("lw_net_ip_net_mask", ["BIGINT", "BIGINT"], "BLOB", networkMask),
  defineUdf("lw_net_ip_trunc", ["BLOB", "BIGINT"], "BLOB", truncateAddress),
];
