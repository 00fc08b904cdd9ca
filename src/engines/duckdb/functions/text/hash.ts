/** Hash, utility and network functions. */

import { formatType } from "../../../../googlesql/types.ts";
import { NULL, nameSql, textSql } from "../../sql/atoms.ts";
import { callSql, raiseError } from "../../sql/forms.ts";
import { EMPTY, sql } from "../../sql/sql.ts";
import type { FunctionTable, PrintCall } from "../types.ts";

/** DuckDB hashes strings and bytes to hexadecimal text. */
function nativeHash(name: string): PrintCall {
  return ({ args: [value] }) => sql`unhex(${nameSql(name)}(${value ?? EMPTY}))`;
}

/** A UDF of BYTES; a STRING is hashed by its UTF-8 bytes. */
function bytesHash(name: string): PrintCall {
  return ({ args: [value = EMPTY], types }) =>
    sql`${nameSql(name)}(${types[0]?.kind === "BYTES" ? value : sql`encode(${value})`})`;
}

export const hashFunctions: FunctionTable = {
  ERROR: ({ args: [message = NULL] }) => raiseError(sql`coalesce(${message}, 'NULL')`),
  FARM_FINGERPRINT: bytesHash("lw_farm_fingerprint"),
  GENERATE_UUID: () => sql`CAST(uuid() AS VARCHAR)`,
  MD5: nativeHash("md5"),
  SHA1: nativeHash("sha1"),
  SHA256: nativeHash("sha256"),
  SHA512: bytesHash("lw_sha512"),
  TYPEOF: ({ types: [type] }) => textSql(formatType(type ?? { kind: "UNKNOWN" })),
};

function udf(name: string): PrintCall {
  return ({ args }) => callSql(name, args);
}

export const netFunctions: FunctionTable = {
  "NET.HOST": udf("lw_net_host"),
  "NET.IPV4_FROM_INT64": udf("lw_net_ipv4_from_int64"),
  "NET.IPV4_TO_INT64": udf("lw_net_ipv4_to_int64"),
  "NET.IP_FROM_STRING": udf("lw_net_ip_from_string"),
  "NET.IP_NET_MASK": udf("lw_net_ip_net_mask"),
  "NET.IP_TO_STRING": udf("lw_net_ip_to_string"),
  "NET.IP_TRUNC": udf("lw_net_ip_trunc"),
  "NET.PUBLIC_SUFFIX": udf("lw_net_public_suffix"),
  "NET.REG_DOMAIN": udf("lw_net_reg_domain"),
  "NET.SAFE_IP_FROM_STRING": udf("lw_net_safe_ip_from_string"),
};
