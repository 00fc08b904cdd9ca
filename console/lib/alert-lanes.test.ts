import { expect, it } from "vitest";
import { describeLabels, toLanes } from "./alert-lanes.ts";

const at = (minute: number) => `2026-08-20T09:${String(minute).padStart(2, "0")}:00.000Z`;
const ms = (minute: number) => Date.parse(at(minute));
const notice = (minute: number, status: string, labels: Record<string, string> = {}, isReminder = false) => ({
  at: at(minute),
  status,
  labels,
  is_reminder: isReminder,
});

it("draws a lane for each group, from firing to resolved, or to the end", () => {
  const notices = [
    notice(1, "firing", { path: "/a" }),
    notice(2, "firing", { path: "/b" }),
    notice(3, "firing", { path: "/a" }, true),
    notice(4, "resolved", { path: "/a" }),
    notice(6, "firing", { path: "/a" }),
  ];
  expect(toLanes(notices, ms(10))).toEqual([
    {
      label: "path=/a",
      isFailure: false,
      spans: [
        { fromMs: ms(1), toMs: ms(4) },
        { fromMs: ms(6), toMs: ms(10) },
      ],
    },
    { label: "path=/b", isFailure: false, spans: [{ fromMs: ms(2), toMs: ms(10) }] },
  ]);
});

it("draws the times in which it could not run in a lane of their own", () => {
  const notices = [notice(1, "firing"), notice(2, "failing"), notice(5, "working"), notice(7, "resolved")];
  expect(toLanes(notices, ms(10))).toEqual([
    { label: "all rows", isFailure: false, spans: [{ fromMs: ms(1), toMs: ms(7) }] },
    { label: "cannot run", isFailure: true, spans: [{ fromMs: ms(2), toMs: ms(5) }] },
  ]);
});

it("draws nothing for an end without a beginning", () => {
  expect(toLanes([notice(3, "resolved"), notice(4, "working")], ms(10))).toEqual([]);
});

it("names a group by its labels", () => {
  expect(describeLabels({ path: "/a", method: "GET" })).toBe("path=/a, method=GET");
});
