import { describe, expect, it } from "vitest";
import { sendLines } from "./send-lines.ts";

const lines = ["a", "b", "c"].map((text, index) => ({ bytes: Buffer.from(text), number: index + 10 }));

/** Returns the answers in turn, and records the requests. */
function createSender(answers: readonly (Response | Error)[]) {
  const sent: string[] = [];
  const waits: number[] = [];
  const send = async (_path: string, request?: RequestInit) => {
    sent.push(Buffer.from(request?.body as Uint8Array).toString());
    const answer = answers[sent.length - 1];
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error("no answer left");
    return answer;
  };
  const sleep = async (ms: number) => void waits.push(ms);
  return { sender: { client: { url: "http://service", send }, source: "edge", sleep }, sent, waits };
}

const accept = (accepted: number) => Response.json({ message: "Logged!", accepted });

describe("sendLines", () => {
  it("sends NDJSON and reports rejected lines by number", async () => {
    const rejected = [{ index: 1, reason: "not an object" }];
    const { sender, sent } = createSender([Response.json({ accepted: 2, rejected }, { status: 422 })]);
    expect(await sendLines(sender, lines)).toEqual({ accepted: 2, rejected: [{ line: 11, reason: "not an object" }] });
    expect(sent).toEqual(["a\nb\nc\n"]);
  });

  it("waits as long as a busy service asks for, and retries while it restarts", async () => {
    const busy = (status: number, after: string) => new Response("{}", { status, headers: { "retry-after": after } });
    const answers = [busy(429, "3"), busy(503, "900"), new Error("refused"), busy(507, "1"), accept(3)];
    const { sender, sent, waits } = createSender(answers);
    expect(await sendLines(sender, lines)).toEqual({ accepted: 3, rejected: [] });
    expect(waits).toEqual([3_000, 30_000, 4_000, 1_000]);
    expect(new Set(sent).size).toBe(1);
  });

  it("halves a batch that is too large, and rejects a single line that is too large", async () => {
    const tooLarge = () => new Response("{}", { status: 413 });
    const { sender, sent } = createSender([tooLarge(), accept(2), tooLarge()]);
    expect(await sendLines(sender, lines)).toEqual({
      accepted: 2,
      rejected: [{ line: 12, reason: "larger than the service accepts" }],
    });
    expect(sent).toEqual(["a\nb\nc\n", "a\nb\n", "c\n"]);
  });

  it("stops with the service's message when the error is not retryable", async () => {
    const refusal = Response.json({ error: { message: "There is no source edgy" } }, { status: 404 });
    await expect(sendLines(createSender([refusal]).sender, lines)).rejects.toThrow("There is no source edgy");
  });
});
