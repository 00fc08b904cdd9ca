import { describe, expect, it } from "vitest";
import { findInaccessible } from "./check-access.ts";

function failing(code: string) {
  return () => {
    throw Object.assign(new Error(code), { code });
  };
}

describe("inaccessible files", () => {
  it("are reported with the reason and what to do", () => {
    expect(findInaccessible(["/data/a"], failing("EROFS"))).toEqual([
      expect.stringMatching(/^\/data\/a is on a read-only file system; nothing was changed\. .*LOGWEIR_DATA_DIR/),
    ]);
    expect(findInaccessible(["/data/a"], failing("EACCES"))).toEqual([
      expect.stringMatching(/^\/data\/a cannot be read and written by user \d+.*\(EACCES\); nothing was changed/),
    ]);
  });

  it("are not reported when they are accessible or do not exist yet", () => {
    expect(findInaccessible(["/data/a"], failing("ENOENT"))).toEqual([]);
    expect(findInaccessible([import.meta.dirname])).toEqual([]);
  });
});
