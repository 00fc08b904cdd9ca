import { hkdfSync } from "node:crypto";

/** Names the services that drained a request's events, oldest first, by their ids. */
export const hopsHeader = "logweir-hops";

/** Services that an event passes at most. */
const maxHops = 32;
/** Lists of services that are distinguished among the events that are sent together. */
const maxWays = 8;
const nobody = "0".repeat(16);
const idForm = /^[0-9a-f]{16}$/;

/** The id of a service, which reveals nothing of its key; nodes on one database have the same. */
export function serviceIdOf(serviceKey: Uint8Array): string {
  return Buffer.from(hkdfSync("sha256", serviceKey, "", "logweir drain hops", 8)).toString("hex");
}

export function writeHops(hops: readonly string[]): string {
  return hops.slice(-maxHops).join(", ");
}

/** The ids of a header; undefined for none. What is no id is ignored: it is of no service. */
export function readHops(header: string | readonly string[] | undefined): readonly string[] | undefined {
  const text = typeof header === "object" ? header.join(",") : (header ?? "");
  const hops = text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => idForm.test(each));
  return hops.length === 0 ? undefined : hops.slice(-maxHops);
}

/** Whether an event that came this way goes no further: it was here before, or has passed as many services as it may. */
export function isLoop(hops: readonly string[] | undefined, serviceId: string): boolean {
  return hops !== undefined && (hops.includes(serviceId) || hops.length >= maxHops);
}

/**
 * Lists of services for the requests of some events: senders may send a list of their own with each event, and must not
 * cause a request for each. The most frequent lists stay. In place of others stand lists of nobody's ids, none shorter
 * than those that they replace and none twice as long: a loop ends then by the number of services.
 */
export function joinWays(ways: readonly (readonly string[])[]): (hops: readonly string[]) => readonly string[] {
  const counts = new Map<string, number>();
  for (const hops of ways) counts.set(hops.join(), (counts.get(hops.join()) ?? 0) + 1);
  // Events without a list are most events; others never change that they have none.
  const listed = [...counts].filter(([way]) => way !== "").sort(([, a], [, b]) => b - a);
  const exact = new Set(["", ...listed.slice(0, maxWays).map(([way]) => way)]);
  const lengths = new Map<number, number>();
  for (const { length } of ways.filter((hops) => !exact.has(hops.join()))) {
    lengths.set(Math.clz32(length), Math.max(length, lengths.get(Math.clz32(length)) ?? 0));
  }
  return (hops) => {
    if (exact.has(hops.join())) return hops;
    return Array.from({ length: lengths.get(Math.clz32(hops.length)) ?? hops.length }, () => nobody);
  };
}
