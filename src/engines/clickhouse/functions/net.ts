/** Addresses of networks: 4 or 16 bytes, or a text. */
import { quoteText } from "../driver/quote.ts";
import type { CallContext, FunctionTable, PrintCall } from "./types.ts";

const OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
const V4 = `${OCTET}(?:\\.${OCTET}){3}`;
const GROUP = "[0-9a-fA-F]{1,4}";

/** All eight groups, or some of them on both sides of `::`; the last two may be written as IPv4. */
const WHOLE_V6 = `(?:${GROUP}:){7}${GROUP}|(?:${GROUP}:){6}${V4}`;
const SHORT_V6 = `(?:${GROUP}(?::${GROUP})*)?::(?:(?:${GROUP}:)*(?:${GROUP}|${V4}))?`;

function addressToInteger(context: CallContext): string {
  return context.bind([context.args[0] ?? ""], (v) => {
    const value = `toInt64(reinterpretAsUInt32(reverse(${v})))`;
    return context.failIf(`length(${v}) != 4`, "NET.IPV4_TO_INT64 needs 4 bytes", value);
  });
}

function integerToAddress(context: CallContext): string {
  return context.bind([context.args[0] ?? ""], (v) => {
    const isOutside = `${v} < -2147483648 OR ${v} > 4294967295`;
    const hex = `leftPad(hex(toUInt32(bitAnd(if(${isOutside}, 0, ${v}), 4294967295))), 8, '0')`;
    return context.failIf(isOutside, "NET.IPV4_FROM_INT64: out of range", `unhex(${hex})`);
  });
}

const matches = (text: string, pattern: string) => `match(${text}, ${quoteText(`^(?:${pattern})$`)})`;

function textToAddress(isSafe: boolean): PrintCall {
  return (context) => {
    return context.bind([context.args[0] ?? ""], (v) => {
      const groups = `length(extractAll(ifNull(${v}, ''), '[0-9a-fA-F.]+')) + (position(${v}, '.') > 0)`;
      const isShort = `${matches(v, SHORT_V6)} AND ${groups} <= 7`;
      const four = `unhex(leftPad(hex(IPv4StringToNumOrNull(${v})), 8, '0'))`;
      const sixteen = `unhex(hex(IPv6StringToNumOrNull(${v})))`;
      const isLong = `${matches(v, WHOLE_V6)} OR ${isShort}`;
      const address = `multiIf(isNull(${v}), NULL, ${matches(v, V4)}, ${four}, ${isLong}, ${sixteen}, NULL)`;
      if (isSafe) return address;
      return context.bind([address], (bytes) => {
        return context.failIf(`isNull(${bytes}) AND isNotNull(${v})`, "NET.IP_FROM_STRING: no IP address", bytes);
      });
    });
  };
}

const NEEDS_BYTES = "an address has 4 (for IPv4) or 16 (for IPv6) bytes";

function addressToText(context: CallContext): string {
  return context.bind([context.args[0] ?? ""], (v) => {
    const four = `IPv4NumToString(reinterpretAsUInt32(reverse(${v})))`;
    const sixteen = `IPv6NumToString(toFixedString(if(length(ifNull(${v}, '')) = 16, ifNull(${v}, ''), repeat('0', 16)), 16))`;
    const text = `multiIf(isNull(${v}), NULL, length(${v}) = 4, ${four}, ${sixteen})`;
    return context.failIf(`length(${v}) NOT IN (4, 16)`, `NET.IP_TO_STRING: ${NEEDS_BYTES}`, text);
  });
}

function mask(context: CallContext): string {
  return context.bind(context.args, (size = "", prefix = "") => {
    const areThere = `isNotNull(${size}) AND isNotNull(${prefix})`;
    const isWrong = `${size} NOT IN (4, 16) OR ${prefix} < 0 OR ${prefix} > 8 * ${size}`;
    const isRight = `${areThere} AND NOT (${isWrong})`;
    const bits = `rightPad(repeat('1', if(${isRight}, ${prefix}, 0)), if(${isRight}, 8 * ${size}, 8), '0')`;
    const message = "NET.IP_NET_MASK: the length is 4 or 16, and the prefix no longer than that";
    return context.failIf(`${areThere} AND (${isWrong})`, message, `if(${areThere}, unbin(${bits}), NULL)`);
  });
}

function truncate(context: CallContext): string {
  return context.bind(context.args, (v = "", prefix = "") => {
    const areThere = `isNotNull(${v}) AND isNotNull(${prefix})`;
    const size = `8 * length(${v})`;
    const isWrong = `length(${v}) NOT IN (4, 16) OR ${prefix} < 0 OR ${prefix} > ${size}`;
    const isRight = `${areThere} AND NOT (${isWrong})`;
    const bits = `rightPad(substring(bin(ifNull(${v}, '')), 1, if(${isRight}, ${prefix}, 0)), if(${isRight}, ${size}, 8), '0')`;
    const message = `NET.IP_TRUNC: ${NEEDS_BYTES}, and the prefix no more bits`;
    return context.failIf(`${areThere} AND (${isWrong})`, message, `if(${areThere}, unbin(${bits}), NULL)`);
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
