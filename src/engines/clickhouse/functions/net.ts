/** Addresses of networks: 4 or 16 bytes, or a text. */

import { textSql } from "../sql/atoms.ts";
import { EMPTY, type Sql, sql } from "../sql/sql.ts";
import type { CallContext, FunctionTable, PrintCall } from "./types.ts";

const OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
const V4 = `${OCTET}(?:\\.${OCTET}){3}`;
const GROUP = "[0-9a-fA-F]{1,4}";

/** All eight groups, or some of them on both sides of `::`; the last two may be written as IPv4. */
const WHOLE_V6 = `(?:${GROUP}:){7}${GROUP}|(?:${GROUP}:){6}${V4}`;
const SHORT_V6 = `(?:${GROUP}(?::${GROUP})*)?::(?:(?:${GROUP}:)*(?:${GROUP}|${V4}))?`;

function addressToInteger(context: CallContext): Sql {
  return context.bind([context.args[0] ?? EMPTY], (v) => {
    const value = sql`toInt64(reinterpretAsUInt32(reverse(${v})))`;
    return context.failIf(sql`length(${v}) != 4`, "NET.IPV4_TO_INT64 needs 4 bytes", value);
  });
}

function integerToAddress(context: CallContext): Sql {
  return context.bind([context.args[0] ?? EMPTY], (v) => {
    const isOutside = sql`${v} < -2147483648 OR ${v} > 4294967295`;
    const hex = sql`leftPad(hex(toUInt32(bitAnd(if(${isOutside}, 0, ${v}), 4294967295))), 8, '0')`;
    return context.failIf(isOutside, "NET.IPV4_FROM_INT64: out of range", sql`unhex(${hex})`);
  });
}

const matches = (text: Sql, pattern: string) => sql`match(${text}, ${textSql(`^(?:${pattern})$`)})`;

function textToAddress(isSafe: boolean): PrintCall {
  return (context) => {
    return context.bind([context.args[0] ?? EMPTY], (v) => {
      const groups = sql`length(extractAll(ifNull(${v}, ''), '[0-9a-fA-F.]+')) + (position(${v}, '.') > 0)`;
      const isShort = sql`${matches(v, SHORT_V6)} AND ${groups} <= 7`;
      const four = sql`unhex(leftPad(hex(IPv4StringToNumOrNull(${v})), 8, '0'))`;
      const sixteen = sql`unhex(hex(IPv6StringToNumOrNull(${v})))`;
      const isLong = sql`${matches(v, WHOLE_V6)} OR ${isShort}`;
      const address = sql`multiIf(isNull(${v}), NULL, ${matches(v, V4)}, ${four}, ${isLong}, ${sixteen}, NULL)`;
      if (isSafe) return address;
      return context.bind([address], (bytes) => {
        return context.failIf(sql`isNull(${bytes}) AND isNotNull(${v})`, "NET.IP_FROM_STRING: no IP address", bytes);
      });
    });
  };
}

const NEEDS_BYTES = "an address has 4 (for IPv4) or 16 (for IPv6) bytes";

function addressToText(context: CallContext): Sql {
  return context.bind([context.args[0] ?? EMPTY], (v) => {
    const four = sql`IPv4NumToString(reinterpretAsUInt32(reverse(${v})))`;
    const bytes = sql`if(length(ifNull(${v}, '')) = 16, ifNull(${v}, ''), repeat('0', 16))`;
    const sixteen = sql`IPv6NumToString(toFixedString(${bytes}, 16))`;
    const text = sql`multiIf(isNull(${v}), NULL, length(${v}) = 4, ${four}, ${sixteen})`;
    return context.failIf(sql`length(${v}) NOT IN (4, 16)`, `NET.IP_TO_STRING: ${NEEDS_BYTES}`, text);
  });
}

function mask(context: CallContext): Sql {
  return context.bind(context.args, (size = EMPTY, prefix = EMPTY) => {
    const areThere = sql`isNotNull(${size}) AND isNotNull(${prefix})`;
    const isWrong = sql`${size} NOT IN (4, 16) OR ${prefix} < 0 OR ${prefix} > 8 * ${size}`;
    const isRight = sql`${areThere} AND NOT (${isWrong})`;
    const bits = sql`rightPad(repeat('1', if(${isRight}, ${prefix}, 0)), if(${isRight}, 8 * ${size}, 8), '0')`;
    const message = "NET.IP_NET_MASK: the length is 4 or 16, and the prefix no longer than that";
    return context.failIf(sql`${areThere} AND (${isWrong})`, message, sql`if(${areThere}, unbin(${bits}), NULL)`);
  });
}

function truncate(context: CallContext): Sql {
  return context.bind(context.args, (v = EMPTY, prefix = EMPTY) => {
    const areThere = sql`isNotNull(${v}) AND isNotNull(${prefix})`;
    const size = sql`8 * length(${v})`;
    const isWrong = sql`length(${v}) NOT IN (4, 16) OR ${prefix} < 0 OR ${prefix} > ${size}`;
    const isRight = sql`${areThere} AND NOT (${isWrong})`;
    const kept = sql`substring(bin(ifNull(${v}, '')), 1, if(${isRight}, ${prefix}, 0))`;
    const bits = sql`rightPad(${kept}, if(${isRight}, ${size}, 8), '0')`;
    const message = `NET.IP_TRUNC: ${NEEDS_BYTES}, and the prefix no more bits`;
    return context.failIf(sql`${areThere} AND (${isWrong})`, message, sql`if(${areThere}, unbin(${bits}), NULL)`);
  });
}

export const netFunctions: FunctionTable = {
  "NET.IP_FROM_STRING": textToAddress(false),
  "NET.IP_NET_MASK": mask,
  "NET.IP_TO_STRING": addressToText,
  "NET.IP_TRUNC": truncate,
  "NET.IPV4_FROM_INT64": integerToAddress,
  "NET.IPV4_TO_INT64": addressToInteger,
  "NET.SAFE_IP_FROM_STRING": textToAddress(true),
};
