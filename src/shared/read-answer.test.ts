import { expect, it } from "vitest";
import { readAnswer } from "./read-answer.ts";

it("an answer is read up to its bound, and no further", async () => {
  let [sent, isLeft] = [0, false];
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent++;
      controller.enqueue(new Uint8Array(10));
    },
    cancel() {
      isLeft = true;
    },
  });
  await expect(readAnswer(new Response(endless), 95)).rejects.toThrow("the answer has more than 95 bytes");
  expect([sent <= 12, isLeft]).toEqual([true, true]);
  expect(String(await readAnswer(new Response("a".repeat(95)), 95))).toHaveLength(95);
  expect(await readAnswer(new Response(null, { status: 204 }), 95)).toHaveLength(0);
});
