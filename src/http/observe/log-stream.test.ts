import { describe, expect, it } from "vitest";
import { createLogStream } from "./log-stream.ts";

/** A log that takes what it is told to: a number of bytes, or an error. */
function openLog(take: (length: number) => number | string) {
  let text = "";
  let [tries, waitedMs] = [0, 0];
  const stream = createLogStream(
    (bytes) => {
      tries++;
      const taken = take(bytes.length);
      if (typeof taken === "string") throw Object.assign(new Error(taken), { code: taken });
      text += Buffer.from(bytes.subarray(0, taken)).toString("latin1");
      return taken;
    },
    (ms) => {
      waitedMs += ms;
    },
  );
  const read = () => Buffer.from(text, "latin1").toString();
  return { stream, read, tries: () => tries, waitedMs: () => waitedMs };
}

const all = (length: number) => length;

describe("the log's stream", () => {
  it("writes lines together when they are flushed, and at once from 8 KiB on", () => {
    const { stream, read, tries } = openLog(all);
    stream.write("one\n");
    stream.write("two\n");
    expect(read()).toBe("");
    stream.flush();
    stream.flush();
    expect([read(), tries()]).toEqual(["one\ntwo\n", 1]);
    stream.write("x".repeat(8_191));
    expect(tries()).toBe(1);
    stream.write("\n");
    expect([read().length, tries()]).toEqual([8 + 8_192, 2]);
  });

  it("continues behind the byte that was written last, also within a character", () => {
    let isFull = false;
    const { stream, read } = openLog((length) => {
      isFull = !isFull;
      return isFull ? Math.min(length, 3) : "EAGAIN";
    });
    stream.write("añé€\n");
    for (let flush = 0; flush < 6; flush++) {
      stream.flush();
      if (flush === 0) stream.write("later\n");
    }
    expect(read()).toBe("añé€\nlater\n");
  });

  it.each(["EPIPE", "ECONNRESET", "ENOSPC", "EIO"])("neither throws nor waits at the end where it gets %s", (code) => {
    const { stream, tries, waitedMs } = openLog(() => code);
    stream.write("lost\n");
    stream.flush();
    stream.end();
    expect([tries(), waitedMs()]).toEqual([2, 0]);
  });

  it("waits a second at the end for a log that nobody reads, and not after it was read", () => {
    const stalled = openLog(() => "EAGAIN");
    stalled.stream.write("lost\n");
    stalled.stream.end();
    expect(stalled.waitedMs()).toBe(1_000);
    let tries = 0;
    const slow = openLog((length) => (++tries < 3 ? "EAGAIN" : length));
    slow.stream.write("read\n");
    slow.stream.end();
    expect([slow.read(), slow.waitedMs()]).toEqual(["read\n", 20]);
  });

  it("retains a mebibyte for a disk that is full, and says how many lines were lost beyond", () => {
    let isFull = true;
    const { stream, read } = openLog((length) => (isFull ? "ENOSPC" : length));
    const line = `${"x".repeat(1_023)}\n`;
    for (let count = 0; count < 1_024; count++) stream.write(line);
    stream.write("first that is lost\n");
    stream.write("second that is lost\n");
    isFull = false;
    stream.flush();
    stream.write("after\n");
    stream.flush();
    const [loss, after] = read().slice(1_048_576).split("\n");
    expect(read().slice(0, 1_048_576)).toBe(line.repeat(1_024));
    expect(JSON.parse(loss ?? "")).toMatchObject({ level: "warn", lines: 2 });
    expect(after).toBe("after");
  });
});
