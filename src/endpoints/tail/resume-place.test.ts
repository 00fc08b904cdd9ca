import { describe, expect, it } from "vitest";
import { placeAt, placeBefore, type ResumePlace, sealedPlace, startOf } from "./resume-place.ts";

const minuteUs = 60_000_000n;
const nowUs = 100n * minuteUs;
const isMissed = (place: readonly (string | null)[], timeUs: bigint) => {
  const start = startOf({ behind: place });
  return timeUs >= start.fromUs && start.isMissed({ timeUs, place: [String(timeUs), "z"] });
};

describe("where a tail resumes", () => {
  it("is its start until a row was sent", () => {
    const behind = [String(nowUs), "a"];
    expect(placeBefore({ behind }, nowUs)).toBe(behind);
    for (const place of [placeBefore(undefined, nowUs), placeBefore({ fromUs: nowUs }, nowUs + minuteUs)]) {
      expect([-1n, 0n, minuteUs].map((us) => isMissed(place, nowUs + us))).toEqual([false, true, true]);
    }
  });

  it.each<[string, ResumePlace]>([
    ["no row", sealedPlace([], nowUs)],
    ["a row of its time", sealedPlace([String(nowUs), "a"], nowUs)],
    ["an old row", sealedPlace(["0", "a"], nowUs)],
    ["a row whose sending is not known", [String(nowUs), "a"]],
  ])("is moved to a later time, behind %s", (_, place) => {
    const later = placeAt(place, nowUs + 5n * minuteUs);
    expect([4n, 5n].map((minutes) => isMissed(later, nowUs + minutes * minuteUs))).toEqual([false, true]);
    expect(placeAt(later, nowUs)).toBe(later);
  });

  it("stays behind a row ahead of the clock", () => {
    const ahead = sealedPlace([String(nowUs + 90n * minuteUs), "a"], nowUs);
    const later = placeAt(ahead, nowUs + 5n * minuteUs);
    expect([4n, 5n, 30n, 91n].map((minutes) => isMissed(later, nowUs + minutes * minuteUs))).toEqual([
      ...[false, true, false, true],
    ]);
  });
});
