import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { chooseEncoding, contentEncodings } from "./content-encoding.ts";

describe("the encoding of a response", () => {
  it.each([
    [undefined, undefined],
    ["", undefined],
    ["identity", undefined],
    ["gzip", "gzip"],
    ["x-gzip", "gzip"],
    ["GZIP;q=0.5", "gzip"],
    ["gzip, deflate, br", "br"],
    ["gzip;q=1, br;q=0.5", "gzip"],
    ["gzip;q=0", undefined],
    ["gzip;q=0.2, identity;q=0.9", undefined],
    ["*;q=0", undefined],
    ["deflate", undefined],
    ["gzip;q=nonsense", undefined],
  ])("for Accept-Encoding %j is %j", (header, name) => {
    expect(chooseEncoding(header)?.name).toBe(name);
  });

  it("is the preferred one when the client accepts any", () => {
    expect(chooseEncoding("*")).toBe(contentEncodings[0]);
  });

  it.each([
    ["br", brotliDecompressSync],
    ["gzip", gunzipSync],
  ])("%s restores the body, both whole and streamed", async (name, decode) => {
    const encoding = contentEncodings.find((each) => each.name === name);
    const body = Buffer.from("a row\n".repeat(10_000));
    expect(decode((await encoding?.encode(body)) ?? "").equals(body)).toBe(true);
    const stream = Readable.from([body.subarray(0, 7), body.subarray(7)]).pipe(
      encoding?.open() as NodeJS.WritableStream,
    );
    expect(decode(await buffer(stream as unknown as Readable)).equals(body)).toBe(true);
  });
});
