import { describe, expect, it } from "vitest";
import { withId } from "./line-ids.ts";

const send = (text: string, number = 1, origin = "file") =>
  withId({ bytes: Buffer.from(text), number }, origin).bytes.toString();

describe("withId", () => {
  it.each([
    '{"id":"a"}',
    '{"m":"x","id":5}',
    '{"ID":"a"}',
    '{"id":{"a":1}}',
    "[1]",
    "null",
    "not JSON",
    '{"cut":"of',
    "\0{}",
  ])("leaves %s as it is", (text) => expect(send(text)).toBe(text));

  it.each(["{}", ' { "a" : {"id": 1} } ', '\ufeff{"m":"x"}', '{"id":null}', '{"id":""}', '{"Id":null,"m":"}"}\r'])(
    "gives %j an id of its own",
    (text) => {
      const id = () => (JSON.parse(send(text).replace("\ufeff", "")) as { id: string }).id;
      expect(id()).toMatch(/^[0-9a-f-]{36}$/);
      expect(id()).toBe(id());
    },
  );

  it("gives equal events of other lines and files other ids", () => {
    const ids = [send("{}"), send("{}", 2), send("{}", 1, "other")];
    expect(new Set(ids).size).toBe(3);
  });
});
