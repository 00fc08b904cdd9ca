import { expect, it } from "vitest";
import { defaultIngestLimits } from "../ingest/limits.ts";
import { MadeIds } from "../ingest/made-ids.ts";
import { normaliseEvent } from "../ingest/normalise-event.ts";
import { incident } from "./incident.ts";
import { createRandom } from "./random.ts";
import { makeDay, sampleSources } from "./sample-events.ts";
import type { makeEdge } from "./sample-requests.ts";

it("the shares of the sample sources add up to one", () => {
  expect(sampleSources.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
});

it.each(sampleSources)(
  "samples of $source are valid events with the given timestamp, and the same for the same seed",
  ({ make }) => {
    const timestamp = "2026-08-20T09:00:00.123Z";
    const event = make(createRandom(7), timestamp);
    expect(make(createRandom(7), timestamp)).toEqual(event);
    const normalised = normaliseEvent(JSON.parse(JSON.stringify(event)), 0, {
      nowUs: 0n,
      limits: defaultIngestLimits,
      tally: { untimed: 0 },
      ids: new MadeIds(),
    });
    expect(normalised.timestampUs).toBe(BigInt(Date.parse(timestamp)) * 1000n);
    expect(normalised.hasGeneratedId).toBe(false);
    expect(normalised.eventMessage).not.toBeNull();
    expect(normalised.fields.metadata).toBeTypeOf("object");
  },
);

/** The events of a source over the day that ends at the 20th of August, 15:00. */
function makeSome(name: string, count: number) {
  const sample = sampleSources.find(({ source }) => source === name);
  const endMs = Date.parse("2026-08-20T15:00:00Z");
  return sample === undefined ? [] : [...makeDay(sample, createRandom(3), count, endMs)];
}

it("hides a deploy, after which one path of one project fails for one role, and nothing else does", () => {
  const requests = makeSome("edge", 6_000).map((event) => {
    const { project, timestamp, metadata } = event as unknown as ReturnType<typeof makeEdge>;
    const { path, sb } = metadata.request;
    const isBroken =
      timestamp > "2026-08-20T10:00:00" &&
      [project, path, sb.jwt.authorization?.payload.role].join() === "shopfront,/rest/v1/orders,authenticated";
    return { isBroken, status: metadata.response.status_code, message: event.event_message as string };
  });
  expect(requests).toHaveLength(6_000);
  const broken = requests.filter(({ isBroken }) => isBroken);
  expect(broken.length).toBeGreaterThan(15);
  expect(new Set(broken.map(({ status }) => status))).toEqual(new Set([500]));
  expect(broken.every(({ message }) => message.includes("| 500 |"))).toBe(true);
  const others = requests.filter(({ isBroken }) => !isBroken);
  expect(others.filter(({ status }) => status >= 500).length / others.length).toBeLessThan(0.02);
});

it("has the deploy's statement in the database's log, and errors that say what is missing from then on alone", () => {
  const events = makeSome("db", 2_000);
  expect(events).toHaveLength(2_000);
  const deploys = events.filter(({ event_message: message }) => String(message).includes("drop function"));
  expect(deploys).toEqual([
    expect.objectContaining({ timestamp: "2026-08-20T10:00:00.000Z", project: incident.project }),
  ]);
  const errors = events.filter(({ event_message: message }) => String(message).includes("does not exist"));
  expect(errors.length).toBeGreaterThan(5);
  expect(
    errors.every(({ timestamp, project }) => String(timestamp) > "2026-08-20T10" && project === incident.project),
  ).toBe(true);
});
