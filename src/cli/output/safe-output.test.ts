import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { escapeControls, openSafeOutput, rawStream } from "./safe-output.ts";

describe("the output of commands", () => {
  it.each([
    ["\u001b[31mred\u001b[0m", "\\u001b[31mred\\u001b[0m"],
    ["\u001b]0;title\u0007", "\\u001b]0;title\\u0007"],
    ["\u009b2J", "\\u009b2J"],
    ["over\rwritten", "over\\u000dwritten"],
    ["a\u202eb\u2066c", "a\\u202eb\\u2066c"],
    ["del\u007f nul\u0000", "del\\u007f nul\\u0000"],
    ["lines\r\nof\ttext\n", "lines\r\nof\ttext\n"],
    ["z\u00e9ro \u{1f600}", "z\u00e9ro \u{1f600}"],
  ])("shows control characters escaped: %j", (text, shown) => {
    expect(escapeControls(text)).toBe(shown);
  });

  it("is escaped for strings and for bytes split between writes, but not through rawStream", () => {
    const target = new PassThrough();
    const safe = openSafeOutput(target);
    const bytes = Buffer.from("\u00e9\u009b2J");
    safe.write(bytes.subarray(0, 1));
    safe.write(bytes.subarray(1, 3));
    safe.write(bytes.subarray(3));
    safe.write("\u001bc");
    rawStream(safe).write("\r#");
    expect(String(target.read())).toBe("\u00e9\\u009b2J\\u001bc\r#");
  });
});
