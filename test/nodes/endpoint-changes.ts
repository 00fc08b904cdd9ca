import { expect } from "vitest";
import { waitUntil } from "../support/wait-until.ts";
import type { TestNode } from "./start-node.ts";

/** How long a node may still answer with the state before another node's change. */
export const limitMs = 1_000;

/** The value that an endpoint returns first, in its column `v`; the status when that is not 200. */
export async function valueAt(node: TestNode, name: string): Promise<unknown> {
  const { status, body } = await node.call("GET", `/api/endpoints/query/${name}`);
  return status === 200 ? (body as { result: { v: unknown }[] }).result[0]?.v : status;
}

/**
 * Changes an endpoint this many times, alternately through the two nodes, and waits until the other node, which still
 * had the previous answer, returns the change, or fails. Returns how long each took, in milliseconds.
 */
export async function changeInTurn(
  nodes: readonly [TestNode, TestNode],
  name: string,
  changes: number,
  withinMs = limitMs,
): Promise<readonly number[]> {
  const times: number[] = [];
  for (let change = 1; change <= changes; change++) {
    const [from, to] = change % 2 === 1 ? nodes : nodes.toReversed();
    if (from === undefined || to === undefined) throw new Error("There are two nodes");
    await valueAt(to, name);
    const { status } = await from.call("PATCH", `/api/endpoints/${name}`, { query: `SELECT ${change} AS v` });
    expect(status).toBe(204);
    times.push(await waitUntil(async () => (await valueAt(to, name)) === change, withinMs));
  }
  return times;
}
