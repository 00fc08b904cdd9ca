import { expect, it } from "vitest";
import { defaultIngestLimits } from "../ingest/limits.ts";
import { normaliseEvent } from "../ingest/normalise-event.ts";
import { createRandom } from "./random.ts";
import { sampleSources } from "./sample-events.ts";

it("the shares of the sample sources add up to one", () => {
  expect(sampleSources.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
});

it.each(sampleSources)(
  "samples of $source are valid events with the given timestamp, and the same for the same seed",
  ({ make }) => {
    const timestamp = "2026-08-20T09:00:00.123Z";
    const event = make(createRandom(7), timestamp);
    expect(make(createRandom(7), timestamp)).toEqual(event);
    const normalised = normaliseEvent(JSON.parse(JSON.stringify(event)), {
      nowUs: 0n,
      limits: defaultIngestLimits,
      tally: { untimed: 0 },
    });
    expect(normalised.timestampUs).toBe(BigInt(Date.parse(timestamp)) * 1000n);
    expect(normalised.hasGeneratedId).toBe(false);
    expect(normalised.eventMessage).not.toBeNull();
    expect(normalised.fields.metadata).toBeTypeOf("object");
  },
);
