import { tableFromIPC } from "@uwdata/flechette";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { describe, expect, it } from "vitest";
import { type OutputColumn, RowBatch } from "../../engines/contract/query-engine.ts";
import { type AnswerFormat, toBuffers } from "./answer-format.ts";
import { arrowFormat } from "./arrow.ts";
import { chooseFormat } from "./choose-format.ts";
import { answerFormats } from "./index.ts";
import { parquetFormat } from "./parquet.ts";

const columns: readonly OutputColumn[] = [
  { name: "id", type: { kind: "STRING" } },
  { name: "at", type: { kind: "TIMESTAMP" } },
  { name: "n", type: { kind: "INT64" } },
  { name: "x", type: { kind: "FLOAT64" } },
  { name: "ok", type: { kind: "BOOL" } },
  { name: "day", type: { kind: "DATE" } },
  { name: "m", type: { kind: "ARRAY", element: { kind: "RECORD", fields: [], isRepeated: false, isOpen: true } } },
];

const rows = [
  String.raw`{"id":"a,\"b\"\r\né}]","at":1787049999500001,"n":"9223372036854775807","x":1.5,"ok":true,"day":"2026-08-20","m":[{"k":"},{","n":1.0}]}`,
  `{"id":"","at":null,"n":-1,"x":"NaN","ok":false,"day":null,"m":[]}`,
  `{"id":null,"at":-1,"n":null,"x":null,"ok":null,"day":"1969-12-31","m":null}`,
];

function write(format: AnswerFormat, batches: readonly string[], of: readonly OutputColumn[] = columns): Buffer {
  const writer = format.open(of);
  const written = batches.map((json) => writer.write(new RowBatch(json, 1)));
  return Buffer.concat([writer.begin(), ...written, writer.end()].flatMap(toBuffers));
}

function named(name: string): AnswerFormat {
  return chooseFormat(answerFormats, name, undefined);
}

describe("rows", () => {
  it("are one JSON document in JSON", () => {
    expect(write(named("json"), [`${rows[0]},${rows[1]}`, rows[2] ?? ""]).toString()).toBe(
      `{"result":[${rows.join(",")}]}`,
    );
    expect(write(named("json"), []).toString()).toBe('{"result":[]}');
  });

  it("are one line each in NDJSON, with every character preserved", () => {
    expect(write(named("ndjson"), [rows.join(",")]).toString()).toBe(`${rows.join("\n")}\n`);
    expect(write(named("ndjson"), []).toString()).toBe("");
    expect(write(named("ndjson"), ['{"m":[{\n"a":1}]}']).toString()).toBe('{"m":[{ "a":1}]}\n');
  });

  it("are CSV by RFC 4180, with nested values as JSON and NULL distinct from an empty text", () => {
    expect(write(named("csv"), [rows.join(",")]).toString()).toBe(
      [
        "id,at,n,x,ok,day,m",
        '"a,""b""\r\né}]",1787049999500001,9223372036854775807,1.5,true,2026-08-20,"[{""k"":""},{"",""n"":1.0}]"',
        '"",,-1,NaN,false,,[]',
        ",-1,,,,1969-12-31,",
        "",
      ].join("\r\n"),
    );
  });

  it("have mixed-type values as text in CSV, Parquet and Arrow", async () => {
    const mixed = [{ name: "v", type: { kind: "MIXED" } }] as const;
    const values = [
      "200",
      '"200"',
      String.raw`"a,\"b\""`,
      "1.5",
      "true",
      '[1,"b"]',
      '[{"a":7}]',
      "null",
      "9007199254740993",
    ];
    const texts = ["200", "200", 'a,"b"', "1.5", "true", '[1,"b"]', '[{"a":7}]', null, "9007199254740993"];
    const batches = values.map((value) => `{"v":${value}}`);
    const writeMixed = (format: AnswerFormat) => write(format, batches, mixed);
    const file = new Uint8Array(writeMixed(parquetFormat)).buffer;
    expect((await parquetReadObjects({ file })).map(({ v }) => v ?? null)).toEqual(texts);
    const arrow = tableFromIPC(writeMixed(arrowFormat)).toArray() as readonly Record<string, unknown>[];
    expect(arrow.map(({ v }) => v ?? null)).toEqual(texts);
    const csv = [
      "v",
      "200",
      "200",
      '"a,""b"""',
      "1.5",
      "true",
      '"[1,""b""]"',
      '"[{""a"":7}]"',
      "",
      "9007199254740993",
      "",
    ];
    expect(writeMixed(named("csv")).toString().split("\r\n")).toEqual(csv);
  });

  it("are typed in Parquet, with timestamps to the microsecond", async () => {
    const bytes = write(parquetFormat, [rows.join(",")]);
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
    const read = await parquetReadObjects({ file, parsers: { timestampFromMicroseconds: (us: bigint) => us } });
    expect(read.map(({ at }) => at)).toEqual([1787049999500001n, undefined, -1n].map((us) => us ?? null));
    expect(read.map(({ n }) => n)).toEqual([9223372036854775807n, -1n, null]);
    expect(read.map(({ id }) => id)).toEqual(['a,"b"\r\né}]', "", null]);
    expect(read.map(({ x }) => x)).toEqual([1.5, Number.NaN, null]);
    expect(read.map(({ day }) => (day as Date | null)?.toISOString().slice(0, 10) ?? null)).toEqual([
      "2026-08-20",
      null,
      "1969-12-31",
    ]);
    expect(read.map(({ m }) => m)).toEqual(['[{"k":"},{","n":1.0}]', "[]", null]);
  });

  it("are typed in an Arrow stream, with timestamps to the microsecond", () => {
    const table = tableFromIPC(write(arrowFormat, [rows.join(",")]), { useBigInt: true });
    expect(table.schema.fields.map(({ name }) => name)).toEqual(columns.map(({ name }) => name));
    expect([...(table.getChild("n") ?? [])]).toEqual([9223372036854775807n, -1n, null]);
    expect([...(table.getChild("id") ?? [])]).toEqual(['a,"b"\r\né}]', "", null]);
    expect(table.getChild("at")?.data[0]?.values).toEqual(BigInt64Array.of(1787049999500001n, 0n, -1n));
    expect([...(table.getChild("m") ?? [])]).toEqual(['[{"k":"},{","n":1.0}]', "[]", null]);
  });

  it.each([parquetFormat, arrowFormat])(
    "are written in groups of bounded size to one file of $name",
    async (format) => {
      const big = (id: number) =>
        `{"id":"${id}${"x".repeat(3_000_000)}","at":1,"n":${id},"x":1,"ok":true,"day":null,"m":null}`;
      const ids = [1, 2, 3, 4, 5, 6, 7];
      const writer = format.open(columns);
      const sizes = ids.map((id) => writer.write(new RowBatch(big(id), 1)).length);
      expect(sizes.filter((size) => size > 0).length).toBe(2);
      const bytes = write(format, ids.map(big));
      if (format === arrowFormat) {
        expect([...(tableFromIPC(bytes).getChild("n") ?? [])]).toEqual(ids);
        return;
      }
      const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
      expect(parquetMetadata(file).row_groups).toHaveLength(3);
      expect((await parquetReadObjects({ file, columns: ["n"] })).map(({ n }) => Number(n))).toEqual(ids);
    },
  );

  it.each(["parquet", "arrow"])("may be empty in %s", async (name) => {
    const bytes = write(named(name), []);
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
    expect(name === "arrow" ? tableFromIPC(bytes).numRows : Number(parquetMetadata(file).num_rows)).toBe(0);
  });
});

describe("the response format", () => {
  it.each([
    [undefined, "json"],
    ["", "json"],
    ["*/*", "json"],
    ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "json"],
    ["text/csv", "csv"],
    ["text/*", "csv"],
    ["application/json;q=0.5, application/x-ndjson", "ndjson"],
    ["application/*;q=0.1, application/vnd.apache.parquet", "parquet"],
    ["application/vnd.apache.arrow.stream, */*;q=0.1", "arrow"],
    ["application/json;q=0, */*", "ndjson"],
  ])("for Accept %s is %s", (accept, expected) => {
    expect(chooseFormat(answerFormats, undefined, accept).name).toBe(expected);
  });

  it("follows the parameter format rather than Accept", () => {
    expect(chooseFormat(answerFormats, "csv", "image/png").name).toBe("csv");
  });

  it("when unknown is refused with 400 in format and with 406 in Accept", () => {
    const choose = (named: unknown, accept?: string) => () => chooseFormat(answerFormats, named, accept);
    expect(choose("xml")).toThrow(expect.objectContaining({ status: 400, code: "invalid_parameter" }));
    expect(choose(["csv"])).toThrow(expect.objectContaining({ status: 400 }));
    expect(choose(undefined, "image/png")).toThrow(expect.objectContaining({ status: 406, code: "not_acceptable" }));
    expect(choose(undefined, "application/json;q=0")).toThrow(expect.objectContaining({ status: 406 }));
  });
});
