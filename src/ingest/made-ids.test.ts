import { expect, it } from "vitest";
import { MadeIds } from "./made-ids.ts";

const bodyId = "5d0f5d52-22f2-4e61-9b42-0f3dfffffffe";

it("makes UUIDs that differ by place, and are the same for the same body", () => {
  const ids = [0, 1, 2, 3].map((place) => new MadeIds(bodyId).at(place));
  expect(ids).toEqual(["fffffffe", "ffffffff", "00000000", "00000001"].map((end) => bodyId.slice(0, -8) + end));
});

it("makes others for another body", () => {
  const start = (ids: MadeIds) => ids.at(0).slice(0, -8);
  expect(start(new MadeIds())).not.toBe(start(new MadeIds()));
});
