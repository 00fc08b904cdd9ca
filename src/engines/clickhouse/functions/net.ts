/** Addresses of networks: 4 or 16 bytes, or a text. */

import { textSql } from "../sql/atoms.ts";
import { type Sql, sql } from "../sql/sql.ts";
import { named } from "./rows.ts";
import type { CallContext, FunctionTable } from "./types.ts";

const OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
const V4 = `${OCTET}(?:\\.${OCTET}){3}`;
const GROUP = "[0-9a-fA-F]{1,4}";

/** All eight groups, or some of them on both sides of `::`; the last two may be written as IPv4. */
const WHOLE_V6 = `(?:${GROUP}:){7}${GROUP}|(?:${GROUP}:){6}${V4}`;
const SHORT_V6 = `(?:${GROUP}(?::${GROUP})*)?::(?:(?:${GROUP}:)*(?:${GROUP}|${V4}))?`;

function addressToInteger(context: CallContext, v: Sql): Sql {
  const value = sql`toInt64(reinterpretAsUInt32(reverse(${v})))`;
  return context.failIf(sql`length(${v}) != 4`, "NET.IPV4_TO_INT64 needs 4 bytes", value);
}

function integerToAddress(context: CallContext, v: Sql): Sql {
  const isOutside = sql`${v} < -2147483648 OR ${v} > 4294967295`;
  const hex = sql`leftPad(hex(toUInt32(bitAnd(if(${isOutside}, 0, ${v}), 4294967295))), 8, '0')`;
  return context.failIf(isOutside, "NET.IPV4_FROM_INT64: out of range", sql`unhex(${hex})`);
}

const matches = (text: Sql, pattern: string) => sql`match(${text}, ${textSql(`^(?:${pattern})$`)})`;

/** NULL for a text that is no address. */
function addressOf(_: CallContext, v: Sql): Sql {
  const groups = sql`length(extractAll(ifNull(${v}, ''), '[0-9a-fA-F.]+')) + (position(${v}, '.') > 0)`;
  const isShort = sql`${matches(v, SHORT_V6)} AND ${groups} <= 7`;
  const four = sql`unhex(leftPad(hex(IPv4StringToNumOrNull(${v})), 8, '0'))`;
  const sixteen = sql`unhex(hex(IPv6StringToNumOrNull(${v})))`;
  const isLong = sql`${matches(v, WHOLE_V6)} OR ${isShort}`;
  return sql`multiIf(isNull(${v}), NULL, ${matches(v, V4)}, ${four}, ${isLong}, ${sixteen}, NULL)`;
}

function textToAddress(context: CallContext, v: Sql): Sql {
  return context.bind([addressOf(context, v)], (bytes) => {
    return context.failIf(sql`isNull(${bytes}) AND isNotNull(${v})`, "NET.IP_FROM_STRING: no IP address", bytes);
  });
}

const NEEDS_BYTES = "an address has 4 (for IPv4) or 16 (for IPv6) bytes";

function addressToText(context: CallContext, v: Sql): Sql {
  const four = sql`IPv4NumToString(reinterpretAsUInt32(reverse(${v})))`;
  const bytes = sql`if(length(ifNull(${v}, '')) = 16, ifNull(${v}, ''), repeat('0', 16))`;
  const sixteen = sql`IPv6NumToString(toFixedString(${bytes}, 16))`;
  const text = sql`multiIf(isNull(${v}), NULL, length(${v}) = 4, ${four}, ${sixteen})`;
  return context.failIf(sql`length(${v}) NOT IN (4, 16)`, `NET.IP_TO_STRING: ${NEEDS_BYTES}`, text);
}

/** The first bits of an address of so many bytes, and zeros for the others. */
function prefixed(
  context: CallContext,
  [operand, prefix]: readonly [Sql, Sql],
  size: Sql,
  kept: (length: Sql) => Sql,
  message: string,
): Sql {
  const areThere = sql`isNotNull(${operand}) AND isNotNull(${prefix})`;
  const isWrong = sql`${size} NOT IN (4, 16) OR ${prefix} < 0 OR ${prefix} > 8 * ${size}`;
  const isRight = sql`${areThere} AND NOT (${isWrong})`;
  const bits = sql`rightPad(${kept(sql`if(${isRight}, ${prefix}, 0)`)}, if(${isRight}, 8 * ${size}, 8), '0')`;
  return context.failIf(sql`${areThere} AND (${isWrong})`, message, sql`if(${areThere}, unbin(${bits}), NULL)`);
}

function mask(context: CallContext, size: Sql, prefix: Sql): Sql {
  const message = "NET.IP_NET_MASK: the length is 4 or 16, and the prefix no longer than that";
  return prefixed(context, [size, prefix], size, (length) => sql`repeat('1', ${length})`, message);
}

function truncate(context: CallContext, v: Sql, prefix: Sql): Sql {
  const kept = (length: Sql) => sql`substring(bin(ifNull(${v}, '')), 1, ${length})`;
  const message = `NET.IP_TRUNC: ${NEEDS_BYTES}, and the prefix no more bits`;
  return prefixed(context, [v, prefix], sql`length(${v})`, kept, message);
}

export const netFunctions: FunctionTable = {
  "NET.IP_FROM_STRING": named(textToAddress),
  "NET.IP_NET_MASK": named(mask),
  "NET.IP_TO_STRING": named(addressToText),
  "NET.IP_TRUNC": named(truncate),
  "NET.IPV4_FROM_INT64": named(integerToAddress),
  "NET.IPV4_TO_INT64": named(addressToInteger),
  "NET.SAFE_IP_FROM_STRING": named(addressOf),
};
