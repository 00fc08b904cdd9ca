import { describe, expect, it } from "vitest";
import { expressionOf, groupByShape, shapeOf } from "./patterns.ts";

const shapes = (messages: readonly string[]) => groupByShape(messages).map(({ shape, count }) => [shape, count]);

describe("the shape of a message", () => {
  it.each([
    ['GET 200 192.0.2.1 "a" 1b7f3d52-6c1e-4a7e-9d0b-5f2c8e41a690', "GET ‹n› ‹ip› ‹text› ‹id›"],
    ["from 2001:db8::a1 ray 8d1f00aa22bb33cc", "from ‹ip› ray ‹hex›"],
    ["GET /rest/v1/orders?limit=66 took 1.25ms", "GET /rest/v1/orders?limit=‹n› took ‹n›ms"],
    ["Chrome/130.0.0.0 (X11; Linux x86_64; OS X 10_15_7)", "Chrome/‹n› (X11; Linux x86_64; OS X ‹n›)"],
    ["job user1234 at 12:30:05", "job user‹n› at ‹n›:‹n›:‹n›"],
  ])("of %s has placeholders for values and keeps names", (message, shape) => {
    expect(shapeOf(message)).toBe(shape);
  });
});

describe("groups of messages", () => {
  it("are formed by shape, the most frequent first", () => {
    expect(shapes(["b", "a 1", "a 2"])).toEqual([
      ["a ‹n›", 2],
      ["b", 1],
    ]);
  });

  it("are merged when one word has many values", () => {
    const users = ["ann", "bob", "eve", "joe"];
    expect(shapes(users.flatMap((user) => [`user ${user} came`, `user ${user} came`]))).toEqual([["user ‹*› came", 8]]);
    expect(shapes(["job x failed", "job x ended"])).toHaveLength(2);
    expect(shapes(users)).toHaveLength(4);
  });

  it("are matched by the regular expression of their shape", () => {
    const messages = ["a", "b", "c", "d"].map((path, index) => `GET (200) /x/${path}?n=${index} [v1] 10.0.0.${index}`);
    const [pattern] = groupByShape(messages);
    expect(pattern?.shape).toBe("GET (‹n›) ‹*› [v1] ‹ip›");
    const expression = new RegExp(expressionOf(pattern?.shape ?? ""));
    expect(messages.every((message) => expression.test(message))).toBe(true);
  });
});
