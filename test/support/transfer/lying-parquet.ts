import { ByteWriter } from "hyparquet-writer";
import { serializeTCompactProtocol } from "hyparquet-writer/src/thrift.js";

/** The numbers that a page tells of itself. */
export interface PageClaims {
  readonly values: number;
  readonly bytes?: number;
  readonly kind?: "data" | "data of version 2" | "dictionary";
}

/**
 * Makes a Parquet file of one row and one column, `name`, whose single page of some 20 bytes tells other numbers: all of
 * its values are absent, which is one run, however long.
 */
export function makeLyingParquet(name: string, { values, bytes, kind = "data" }: PageClaims): Buffer {
  const run = new ByteWriter();
  run.appendVarInt(values * 2);
  run.appendUint8(0);
  const levels = Buffer.from(run.getBytes());
  const length = Buffer.alloc(4);
  length.writeUInt32LE(levels.length);
  const data = Buffer.concat([kind === "data" ? length : Buffer.alloc(0), levels, Buffer.alloc(8)]);
  const heads = {
    data: [0, { field_5: { field_1: values, field_2: 0, field_3: 3, field_4: 3 } }],
    "data of version 2": [
      3,
      { field_8: { field_1: values, field_2: values, field_3: 1, field_4: 0, field_5: levels.length, field_6: 0 } },
    ],
    dictionary: [2, { field_7: { field_1: values, field_2: 0 } }],
  } as const;
  const [type, head] = heads[kind];
  const page = write({ field_1: type, field_2: bytes ?? data.length, field_3: data.length, ...head }, data);
  const column = {
    ...{ field_1: 1, field_2: [0, 3], field_3: [name], field_4: 0, field_5: 1n },
    ...{ field_6: BigInt(page.length), field_7: BigInt(page.length), field_9: 4n },
  };
  const footer = write({
    field_1: 1,
    field_2: [
      { field_4: "root", field_5: 1 },
      { field_1: 1, field_3: 1, field_4: name },
    ],
    field_3: 1n,
    field_4: [{ field_1: [{ field_2: 4n, field_3: column }], field_2: BigInt(page.length), field_3: 1n }],
  });
  const footerLength = Buffer.alloc(4);
  footerLength.writeUInt32LE(footer.length);
  return Buffer.concat([Buffer.from("PAR1"), page, footer, footerLength, Buffer.from("PAR1")]);
}

function write(value: Readonly<Record<`field_${number}`, unknown>>, rest: Buffer = Buffer.alloc(0)): Buffer {
  const writer = new ByteWriter();
  serializeTCompactProtocol(writer, value);
  return Buffer.concat([Buffer.from(writer.getBytes()), rest]);
}
