import { NEVER_FAILS } from "../../googlesql/catalogue/types.ts";
import { defineFunction, type ScalarFunction } from "../scalar-function.ts";

function countBits(bytes: Uint8Array): bigint {
  let count = 0;
  for (const byte of bytes) {
    for (let rest = byte; rest !== 0; rest &= rest - 1) count++;
  }
  return BigInt(count);
}

/** BIT_COUNT of BYTES: DuckDB has no empty bit string. */
export const bytesBitsFunctions: readonly ScalarFunction[] = [
  defineFunction("lw_bit_count", ["BYTES"], "INT64", countBits, NEVER_FAILS),
];
