/** Hash, utility and network functions. */

import { formatType } from "../../../../googlesql/types.ts";
import { NULL, nameSql, textSql } from "../../sql/atoms.ts";
import { raiseError } from "../../sql/forms.ts";
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
