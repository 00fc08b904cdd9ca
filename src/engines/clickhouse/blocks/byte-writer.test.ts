import fc from "fast-check";
import { expect, it } from "vitest";
import { ByteWriter } from "./byte-writer.ts";

/** A plain second implementation of the format. */
function encoded(value: string): Buffer {
  const bytes = Buffer.from(value);
  const length: number[] = [];
  let rest = bytes.length;
  for (; rest > 127; rest >>= 7) length.push((rest & 127) | 128);
  return Buffer.concat([Buffer.from([...length, rest]), bytes]);
}

it("ByteWriter writes texts of any length and characters in sequence, also when its buffer has to grow", () => {
  const units = fc.constantFrom("a", "é", "€", "\u{1f600}", "\ud800", "\0");
  const text = fc.oneof(
    fc.array(units, { maxLength: 60 }).map((list) => list.join("")),
    fc.tuple(units, fc.nat(300)).map(([unit, count]) => unit.repeat(count)),
  );
  fc.assert(
    fc.property(fc.array(text, { maxLength: 12 }), (texts) => {
      const writer = new ByteWriter(1);
      for (const each of texts) writer.text(each);
      expect(Buffer.from(writer.finish()).equals(Buffer.concat(texts.map(encoded)))).toBe(true);
    }),
  );
});
