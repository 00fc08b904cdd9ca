import { createHash } from "node:crypto";
import { formatEventLine } from "../engines/contract/event-line.ts";
import type { LogEvent } from "../engines/contract/query-engine.ts";

const bytes = 16;
const modulus = 2n ** BigInt(8 * bytes);

/** Returns the digest of an event with all its values: the first 128 bits of a SHA-256, in hexadecimal. */
export function digestOf(event: LogEvent): string {
  return createHash("sha256")
    .update(formatEventLine(event))
    .digest("hex")
    .slice(0, 2 * bytes);
}

/** Returns the digest of several events in any order: the sum of their digests. */
export function sumDigests(digests: Iterable<string>): string {
  let sum = 0n;
  for (const digest of digests) sum += BigInt(`0x${digest}`);
  return (sum % modulus).toString(16).padStart(2 * bytes, "0");
}
