import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { parseEvents } from "./parse-events.ts";
import { unpackBody } from "./unpack-body.ts";

const text = '{"event_message":"Grüße, 1 €"}';
const latin1 = '{"event_message":"Gr\xfc\xdfe"}';
const big = (of: string) => Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(of, "utf16le").swap16()]);
const marked = (of: string) => Buffer.from(`\ufeff${of}`, "utf16le");

async function unpack(bytes: Uint8Array, contentType: string, contentEncoding?: string, maxBytes = 1_000) {
  return Buffer.from(await unpackBody(bytes, { contentType, contentEncoding }, maxBytes)).toString();
}

describe("a body", () => {
  it.each([
    ["charset=utf-16le", Buffer.from(text, "utf16le"), text],
    ["charset=UTF-16", Buffer.from(text, "utf16le"), text],
    ["charset=utf-16", marked(text), text],
    ["charset=utf-16", big(text), text],
    ["charset=utf-16be", big(text).subarray(2), text],
    ['boundary=a; Charset = "iso-8859-1"', Buffer.from(latin1, "latin1"), '{"event_message":"Grüße"}'],
    // What is UTF-8 is taken as it is.
    ["charset=iso-8859-1", Buffer.from(text), text],
    ["charset=utf-16", Buffer.from(text), text],
    ["charset=binary", Buffer.from(text), text],
    ["charset=utf-8", Buffer.from("a\0b"), "a\0b"],
    ["charset=utf8, application/json", Buffer.from(text), text],
  ])("in the charset of %s is read in that", async (parameters, bytes, read) => {
    expect(await unpack(bytes, `application/json; ${parameters}`)).toBe(read);
    expect(await unpack(gzipSync(bytes), `text/plain;${parameters}`, "gzip")).toBe(read);
  });

  it("in a charset that is not known is refused with its name", async () => {
    const utf32 = Buffer.from(new Uint32Array(Array.from(text, (each) => each.codePointAt(0) ?? 0)).buffer);
    await expect(unpack(utf32, "application/json; charset=utf-32")).rejects.toMatchObject({
      code: "unsupported_media_type",
      message: "The body is in the charset utf-32, which is not read; send UTF-8",
    });
  });

  it("is measured in UTF-8", async () => {
    const bytes = Buffer.from("\xfc".repeat(50), "latin1");
    expect(await unpack(bytes, "text/plain; charset=latin1", undefined, 100)).toBe("ü".repeat(50));
    await expect(unpack(bytes, "text/plain; charset=latin1", undefined, 99)).rejects.toMatchObject({
      code: "body_too_large",
      message: "The body is larger than 99 bytes in UTF-8",
    });
  });

  it("whose charset is not said is refused with what it looks like", async () => {
    const body = { contentType: "application/json", contentEncoding: undefined, nowUs: 0n, maxBytes: 1_000 };
    for (const bytes of [Buffer.from(text, "utf16le"), marked(text), big(text)]) {
      await expect(parseEvents({ ...body, bytes })).rejects.toThrow("It looks like UTF-16; send UTF-8");
    }
    const { events } = await parseEvents({ ...body, bytes: big(text), contentType: "application/json;charset=utf-16" });
    expect(events).toMatchObject([{ eventMessage: "Grüße, 1 €" }]);
  });
});
