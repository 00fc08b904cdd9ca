import { expect, it } from "vitest";
import { createLogger } from "./logger.ts";

it("a line of the log holds no character that a terminal obeys, and says the same", () => {
  const lines: string[] = [];
  const sent = "a\u001b[31m\u009b31m\u007f\u202eb\r\nc\td";
  createLogger("info", { write: (line) => lines.push(line) }).info({ sent }, sent);
  expect(lines.join("")).toMatch(/^(?!.*\p{Bidi_Control})\P{Cc}+\n$/u);
  expect(JSON.parse(lines.join(""))).toMatchObject({ sent, msg: sent });
});
