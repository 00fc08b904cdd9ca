import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { nameInBody } from "./source-in-body.ts";

const find = (body: string) => nameInBody(Buffer.from(body), {}, 1_000_000);

it.each([
  ['{"source":"a"}', "a"],
  [' { "source" : "a" , "batch":[] } ', "a"],
  ['{"batch":[{"source":"b"},"\\"source\\":\\"c\\""],"collection":"a"}', "a"],
  ['{"event_message":"\\\\","source_name":"\\u0061\\"\\\\"}', 'a"\\'],
  ['{"collection":"4","source":"3","collection_name":"2","source_name":"1"}', "1"],
  ['{"collection":"4","source":3,"source_name":""}', "4"],
  ['{"source":"a","source":"b"}', "b"],
  ['{"metadata":{"source":"a"}}', undefined],
  ['{"source":["a"]}', undefined],
  ['{"source":null,"x":"a"}', undefined],
  ['{"source":{"a":"b"}}', undefined],
  ['{"source"', undefined],
  ['{"source":"a', undefined],
  ['[{"source":"a"}]', undefined],
  ['"source"', undefined],
  ["{}}}", undefined],
  ["", undefined],
])("the source in %s is %s", async (body, name) => {
  expect(await find(body)).toBe(name);
});

it("the source in a compressed body is found, and none in one that is too long or broken", async () => {
  const bytes = gzipSync('{"source":"a"}');
  const gzip = { contentEncoding: "gzip" };
  expect(await nameInBody(bytes, gzip, 14)).toBe("a");
  expect(await nameInBody(bytes, gzip, 13)).toBeUndefined();
  expect(await nameInBody(bytes.subarray(0, 20), gzip, 100)).toBeUndefined();
});

it("the source of a body is looked for in its first 5,000 fields, without parsing what is below them", async () => {
  const fields = (count: number) => `{${'"a":[{}],'.repeat(count)}"source":"a"}`;
  expect(await find(fields(4_999))).toBe("a");
  expect(await find(fields(5_000))).toBeUndefined();
  const levels = 100_000;
  expect(await find(`{"a":${"[".repeat(levels)}${"]".repeat(levels)},"source":"a"}`)).toBe("a");
});
