import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { protocols } from "../../src/ingest/protocols/index.ts";
import { attack, change, changes, replaceValues, samples } from "./hostile-bodies.ts";

describe("bodies of every protocol", () => {
  it("are covered by samples", () => {
    expect([...new Set(samples.map(({ protocol }) => protocol))].sort()).toEqual([...protocols.keys()].sort());
  });

  it.each(samples)("are read correctly: $protocol in $contentType", async ({ protocol, contentType, bytes }) => {
    expect(await attack(protocol, contentType, bytes)).toBeUndefined();
  });

  it.each(samples)(
    "never crash, hang or get stored partially when corrupted: $protocol in $contentType",
    async (sample) => {
      await fc.assert(
        fc.asyncProperty(changes, async (all) => {
          expect(await attack(sample.protocol, sample.contentType, change(sample.bytes, all))).toBeUndefined();
        }),
        { numRuns: 25 },
      );
    },
  );

  it.each(samples.filter(({ contentType }) => contentType.includes("json")))(
    "yield storable events or are refused, whatever values they contain: $protocol in $contentType",
    async ({ protocol, contentType, bytes }) => {
      for (const body of replaceValues(bytes)) {
        const problem = await attack(protocol, contentType, body);
        if (problem !== undefined) expect.unreachable(`${problem}: ${Buffer.from(body)}`);
      }
    },
  );
});
