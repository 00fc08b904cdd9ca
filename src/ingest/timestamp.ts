import { isTimestampInRange } from "../iso-timestamp.ts";

/**
 * Microseconds since 1970 of a Unix time, whose unit its digits tell: 10 seconds, 13 milliseconds, 16 microseconds,
 * 19 nanoseconds; any other count is taken as microseconds. A fraction is rounded away first. Undefined for a negative one.
 */
export function parseUnixTimestamp(value: number | bigint): bigint | undefined {
  if (typeof value === "number" && !Number.isFinite(value)) return undefined;
  const integer = typeof value === "bigint" ? value : BigInt(Math.round(value));
  if (integer < 0n) return undefined;
  const us = toMicroseconds(integer);
  return isTimestampInRange(us) ? us : undefined;
}

function toMicroseconds(value: bigint): bigint {
  switch (value.toString().length) {
    case 10:
      return value * 1_000_000n;
    case 13:
      return value * 1_000n;
    case 19:
      return value / 1_000n;
    default:
      return value;
  }
}
