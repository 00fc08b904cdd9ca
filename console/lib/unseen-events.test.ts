import { expect, it } from "vitest";
import { findUnseenReasons, type Intake } from "./unseen-events.ts";

const nowMs = Date.parse("2026-08-20T10:00:00Z");
const fromMs = nowMs - 3_600_000;
const quiet: Intake = {
  source: "edge",
  stored: 0,
  rejected: 0,
  refused_bodies: 0,
  without_tenant: 0,
  reasons: [],
  last_stored: null,
  newest_event: null,
  untimed: 0,
  lag_ms: null,
  retention_days: null,
};
const reasonOf = (reason: string) => [{ reason, count: 1, newest: "2026-08-20T09:59:57Z" }];
const arriving = { stored: 5, last_stored: "2026-08-20T09:59:58Z" };

it.each<readonly [string, Partial<Intake>, readonly string[]]>([
  ["nothing came", {}, []],
  ["events come and are in the range", { ...arriving, newest_event: "2026-08-20T09:59:57Z" }, []],
  ["the clock is a little ahead", { ...arriving, newest_event: "2026-08-20T10:00:30Z" }, []],
  ["the clock is ahead", { ...arriving, newest_event: "2026-08-20T12:00:00Z" }, ["ahead"]],
  ["events are old", { ...arriving, newest_event: "2026-08-01T00:00:00Z" }, ["old"]],
  ["a source is asleep", { stored: 5, last_stored: "2026-08-19T00:00:00Z", newest_event: "2026-08-19T00:00:00Z" }, []],
  ["a source slept since the start", { newest_event: "2026-08-01T00:00:00Z" }, []],
  ["there is no tenant", { ...arriving, without_tenant: 1, newest_event: "2026-08-20T09:59:57Z" }, ["tenantless"]],
  ["events are rejected", { rejected: 2, reasons: reasonOf("no object") }, ["rejected"]],
  [
    "everything is wrong",
    {
      ...arriving,
      without_tenant: 3,
      refused_bodies: 1,
      reasons: reasonOf("not JSON"),
      newest_event: "2099-01-01T00:00:00Z",
    },
    ["ahead", "tenantless", "rejected"],
  ],
])("where %s", (_name, part, kinds) => {
  const reasons = findUnseenReasons([{ ...quiet, ...part }], fromMs, nowMs);
  expect(reasons.map(({ kind }) => kind)).toEqual(kinds);
  expect(reasons.every(({ source, text }) => source === "edge" && text !== "")).toBe(true);
});
