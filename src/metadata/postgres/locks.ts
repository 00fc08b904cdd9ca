import { createHash } from "node:crypto";

/** The service's own among the advisory locks of a database. */
const space = 0x4c6f6777;

/** An advisory lock by the name of what it keeps apart: two numbers, as PostgreSQL's functions take them. */
export function lockOf(name: string): readonly [number, number] {
  return [space, createHash("sha256").update(name).digest().readInt32BE(0)];
}
