import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeFrame, type Frame, FrameReader } from "./frames.ts";

function readAll(bytes: Buffer, cuts: readonly number[]): Frame[] {
  const reader = new FrameReader();
  const frames: Frame[] = [];
  let from = 0;
  for (const to of [...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    frames.push(...reader.push(bytes.subarray(from, to)));
    from = to;
  }
  return frames;
}

describe("the frame reader", () => {
  it("returns whole frames in order, however the stream is split", () => {
    const frame = fc.record({ head: fc.jsonValue(), body: fc.uint8Array({ maxLength: 200 }) });
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 8 }), fc.array(fc.nat(), { maxLength: 12 }), (frames, cuts) => {
        const bytes = Buffer.concat(frames.flatMap(({ head, body }) => encodeFrame(head, Buffer.from(body))));
        const read = readAll(bytes, cuts);
        expect(read.map(({ head, body }) => ({ head: JSON.stringify(head), body: [...Buffer.concat(body)] }))).toEqual(
          frames.map(({ head, body }) => ({ head: JSON.stringify(head), body: [...body] })),
        );
      }),
    );
  });

  it("waits for the rest of an incomplete frame", () => {
    const bytes = Buffer.concat(encodeFrame({ id: 1 }, Buffer.from("body")));
    const reader = new FrameReader();
    expect(reader.push(bytes.subarray(0, bytes.length - 1))).toEqual([]);
    expect(reader.push(bytes.subarray(bytes.length - 1))).toHaveLength(1);
  });

  it("accepts frames up to half a gigabyte", () => {
    const begin = (length: number) => Buffer.from(new Uint32Array([length, 2]).buffer);
    expect(new FrameReader().push(begin(2 ** 29))).toEqual([]);
    expect(() => new FrameReader().push(begin(2 ** 29 + 1))).toThrow(RangeError);
  });

  it.each([
    ["a length that no frame has", [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]],
    ["a length without a head", [1, 0, 0, 0, 0, 0, 0, 0]],
    ["a head longer than its frame", [4, 0, 0, 0, 9, 0, 0, 0]],
  ])("rejects %s", (_name, bytes) => {
    expect(() => new FrameReader().push(Buffer.from(bytes))).toThrow(RangeError);
  });
});
