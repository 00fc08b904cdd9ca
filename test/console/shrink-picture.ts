import { deflateSync, inflateSync } from "node:zlib";

/** Colours of a picture that is written with a palette. */
const maxColours = 256;
/** The high bits of a colour's channels. */
const alikeMask = 0xf0f0f0;
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

interface Picture {
  readonly width: number;
  readonly height: number;
  /** Red, green and blue of each pixel. */
  readonly colours: Uint8Array;
}

/**
 * A PNG of the browser (RGB, 8 bits, not interlaced) with a palette of its most frequent colours, which takes a third
 * of its size. Others become the nearest of these. For a half of the palette, colours that are much alike count as
 * one, so that a text of few letters keeps its own.
 */
export function shrinkPicture(png: Buffer): Buffer {
  const { width, height, colours } = readPicture(png);
  const counts = new Map<number, number>();
  for (let at = 0; at < colours.length; at += 3) {
    const colour = colourAt(colours, at);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const alike = new Map<number, { colour: number; count: number; all: number }>();
  for (const [colour, count] of counts) {
    const found = alike.get(colour & alikeMask) ?? { colour, count: 0, all: 0 };
    found.all += count;
    if (count > found.count) Object.assign(found, { colour, count });
    alike.set(colour & alikeMask, found);
  }
  const byCount = [...counts].sort(([, one], [, other]) => other - one).map(([colour]) => colour);
  const byKind = [...alike.values()].sort((one, other) => other.all - one.all).map(({ colour }) => colour);
  const palette = [...new Set([...byCount.slice(0, maxColours / 2), ...byKind])].slice(0, maxColours);
  const indexes = new Map(palette.map((colour, index) => [colour, index]));
  const lines = Buffer.alloc((width + 1) * height);
  for (let pixel = 0; pixel < width * height; pixel++) {
    const colour = colourAt(colours, pixel * 3);
    let index = indexes.get(colour);
    if (index === undefined) {
      index = nearest(palette, colour);
      indexes.set(colour, index);
    }
    lines[pixel + Math.floor(pixel / width) + 1] = index;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3], 8);
  const entries = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("PLTE", entries),
    chunk("IDAT", deflateSync(lines, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

const colourAt = (colours: Uint8Array, at: number) =>
  ((colours[at] ?? 0) << 16) | ((colours[at + 1] ?? 0) << 8) | (colours[at + 2] ?? 0);

function nearest(palette: readonly number[], colour: number): number {
  const distance = (other: number) =>
    [16, 8, 0].reduce((sum, bits) => sum + (((other >> bits) & 255) - ((colour >> bits) & 255)) ** 2, 0);
  return palette.reduce((best, each, index) => (distance(each) < distance(palette[best] ?? 0) ? index : best), 0);
}

function readPicture(png: Buffer): Picture {
  const parts: Buffer[] = [];
  for (let at = signature.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  // The first chunk is the header.
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const [depth, kind, , , interlaced] = png.subarray(24, 29);
  if (depth !== 8 || kind !== 2 || interlaced !== 0) throw new Error("The picture is of another kind");
  return { width, height, colours: unfilter(inflateSync(Buffer.concat(parts)), width * 3, height) };
}

/** Takes back what a line's filter did, by the pixels at the left and above (PNG, section 9). */
function unfilter(lines: Buffer, size: number, height: number): Uint8Array {
  const colours = new Uint8Array(size * height);
  for (let row = 0; row < height; row++) {
    const filter = lines[row * (size + 1)];
    for (let at = 0; at < size; at++) {
      const to = row * size + at;
      const left = at < 3 ? 0 : (colours[to - 3] ?? 0);
      const above = colours[to - size] ?? 0;
      const corner = at < 3 ? 0 : (colours[to - size - 3] ?? 0);
      const added = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter ?? 0] ?? 0;
      colours[to] = (lines[row * (size + 1) + 1 + at] ?? 0) + added;
    }
  }
  return colours;
}

function paeth(left: number, above: number, corner: number): number {
  const guess = left + above - corner;
  const [toLeft, toAbove, toCorner] = [left, above, corner].map((each) => Math.abs(guess - each)) as [
    number,
    number,
    number,
  ];
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}

function chunk(kind: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(kind, "latin1"), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(body, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}

/** Node has one of its own from version 22 on. */
function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
