import type { Scanner } from "./scanner.ts";

/** A field's path, in which `m` stands for `metadata` and `t` for `timestamp`. */
export function readPath(scanner: Scanner, message: string): readonly string[] {
  const text = scanner.take(/[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*/y)?.[0];
  if (text === undefined) throw scanner.error(message);
  const [first = "", ...rest] = text.split(".");
  const name = first === "m" ? "metadata" : first === "t" && rest.length === 0 ? "timestamp" : first;
  return [name, ...rest];
}
