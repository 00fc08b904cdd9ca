/** Hash, utility and network functions. */
import { formatType } from "../../../../googlesql/types.ts";
import { quoteString, raiseError } from "../../sql-text.ts";
import type { FunctionTable, PrintCall } from "../types.ts";

/** DuckDB hashes strings and bytes to hexadecimal text. */
function nativeHash(name: string): PrintCall {
  return ({ args: [value] }) => `unhex(${name}(${value}))`;
}

/** A UDF of BYTES; a STRING is hashed by its UTF-8 bytes. */
function bytesHash(name: string): PrintCall {
  return ({ args: [value], types }) => `${name}(${types[0]?.kind === "BYTES" ? value : `encode(${value})`})`;
}

export const hashFunctions: FunctionTable = {
  ERROR: ({ args: [message = "NULL"] }) => raiseError(`coalesce(${message}, 'NULL')`),
  FARM_FINGERPRINT: bytesHash("lw_farm_fingerprint"),
  GENERATE_UUID: () => "CAST(uuid() AS VARCHAR)",
  MD5: nativeHash("md5"),
  SHA1: nativeHash("sha1"),
  SHA256: nativeHash("sha256"),
  SHA512: bytesHash("lw_sha512"),
  TYPEOF: ({ types: [type] }) => quoteString(formatType(type ?? { kind: "UNKNOWN" })),
};
