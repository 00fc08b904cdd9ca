import { expect, it } from "vitest";
import { formatPin, parsePin } from "./pins.ts";

it.each([
  ["abc", "abc"],
  ["a, b", ["a", "b"]],
  ["acme-*", { prefix: "acme-" }],
  ["*", "*"],
])("a pin is read as it is shown: %s", (text, pin) => {
  expect([parsePin(text), formatPin(pin)]).toEqual([pin, text]);
});

it("no pin is an empty text", () => expect([parsePin(""), parsePin(" , ")]).toEqual([undefined, undefined]));
