import fc from "fast-check";
import { expect, it } from "vitest";
import { protocols } from "../../src/ingest/protocols/index.ts";
import { sampleOf, sampleSize } from "../support/sample-size.ts";
import { attack, change, changes, huge, samples } from "./hostile-bodies.ts";

it.each(samples)(
  "thousands of corrupted bodies do no harm: $protocol in $contentType",
  { timeout: 600_000 },
  async (sample) => {
    await fc.assert(
      fc.asyncProperty(changes, async (all) => {
        expect(await attack(sample.protocol, sample.contentType, change(sample.bytes, all))).toBeUndefined();
      }),
      { numRuns: sampleSize(100, 10_000) },
    );
  },
);

it.each([...protocols.keys()])("huge bodies are cheap to refuse: %s", { timeout: 600_000 }, async (protocol) => {
  for (const [name, body, encoding] of sampleOf(huge, 0.4)) {
    for (const contentType of ["application/json", "application/x-protobuf", "text/plain"]) {
      expect(await attack(protocol, contentType, body, encoding), `${name} as ${contentType}`).toBeUndefined();
    }
  }
});
