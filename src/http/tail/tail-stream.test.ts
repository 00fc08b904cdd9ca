import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import type { TailRow } from "../../endpoints/tail/ask-tail.ts";
import { ServiceError } from "../../shared/errors.ts";
import { createEventForm, openEvents } from "./event-outlet.ts";
import type { WaitingBytes } from "./tail-limits.ts";
import { openTailStream } from "./tail-stream.ts";

/** An answer whose reader takes nothing until it is told to. */
class StalledAnswer extends EventEmitter {
  readonly written: string[] = [];
  readonly #takers: (() => void)[] = [];
  writableLength = 0;
  destroyed = false;

  writeHead(): void {}

  write(text: string | Buffer, taken: () => void = () => undefined): void {
    this.written.push(String(text).slice(0, 60));
    this.writableLength += text.length;
    this.#takers.push(() => {
      this.writableLength -= text.length;
      taken();
    });
  }

  take(): void {
    for (const taker of this.#takers.splice(0)) taker();
  }

  close(): void {
    this.destroyed = true;
    this.emit("close");
  }
}

function open(waiting: WaitingBytes) {
  const raw = new StalledAnswer();
  const reply = { raw, header: () => reply, getHeaders: () => ({}), hijack: () => reply };
  const { outlet, begin } = openEvents(reply as unknown as Parameters<typeof openEvents>[0], () => form.readId());
  const clock = { nowMs: 1_000_000 };
  const start = ["told:1000000000"];
  const form = createEventForm()({ seal: (place) => place.join(), start, nowMs: () => clock.nowMs });
  const stream = openTailStream(outlet, form, waiting);
  begin();
  stream.open();
  return { raw, clock, ...stream };
}

const row = (length: number): TailRow => ({ key: "k", timeUs: 0n, json: "x".repeat(length), place: [] });
const skipped = (count: number) => `event: skipped\ndata: {"count":${count}}\n\n`;

it("a slow reader is told how many rows were skipped once it reads again", () => {
  const { raw, follower } = open({ count: 0 });
  follower.deliver([row(1_000_001)]);
  follower.deliver([row(1), row(1)]);
  follower.deliver([row(1)]);
  expect(raw.written).toHaveLength(2);
  raw.take();
  expect(raw.written[2]).toBe(skipped(3));
  follower.deliver([row(3)]);
  expect(raw.written[3]).toContain("data: xxx");
});

it("says from the beginning where to resume, and goes on with the time while no row comes", () => {
  const { raw, clock, follower, beat } = open({ count: 0 });
  const told = () => raw.written.splice(0).join("");
  expect(told()).toBe("id: told:1000000000\n\n");
  follower.deliver([{ ...row(1), place: ["7", "a", "told:1000000001"] }]);
  expect(told()).toBe("id: 7,a,told:1000000001\ndata: x\n\n");
  beat();
  clock.nowMs = 1_700_000;
  beat();
  expect(told()).toBe("id: 7,a,told:1000000001\n\nid: 7,a,told:1100000000\n\n");
});

it("what waits for all tails of a token is bounded, and for those of others is not counted", () => {
  const waiting = { count: 0 };
  const tails = Array.from({ length: 200 }, () => open(waiting));
  for (const { follower } of tails) follower.deliver([row(900_000)]);
  const served = tails.filter(({ raw }) => raw.written.length === 2);
  expect([served.length, waiting.count < 32_000_000]).toEqual([35, true]);
  const other = open({ count: 0 });
  other.follower.deliver([row(40_000_000)]);
  expect(other.raw.written).toHaveLength(2);
  served[0]?.raw.take();
  served[1]?.raw.close();
  served[1]?.raw.take();
  const [left] = tails.filter(({ raw }) => raw.written.length === 1);
  left?.follower.deliver([row(1_000)]);
  expect(left?.raw.written.slice(1)).toEqual([skipped(1), expect.stringContaining("data: xxx")]);
  for (const { raw } of tails) raw.close();
  expect(waiting.count).toBe(0);
});

it("the end of a tail tells how many rows were skipped, and nothing of them", () => {
  const written: string[] = [];
  let isTaken = false;
  const outlet = {
    ...{ waitingBytes: () => (isTaken ? 0 : 2_000_000), isClosed: () => false, beat: () => undefined },
    write: (message: string | Buffer) => void written.push(String(message)),
    end: () => void written.push("end"),
    onClose: () => undefined,
  };
  const form = {
    rows: (rows: readonly TailRow[]) => rows.map(({ json }) => json),
    skippedRow: ({ key }: TailRow) => key,
    skipped: (count: number | undefined, rows: readonly string[]) => `${count} [${rows.join()}]`,
  };
  const stream = openTailStream(outlet, form, { count: 0 });
  stream.open();
  stream.follower.deliver([row(1), row(1)]);
  isTaken = true;
  stream.follower.end(new ServiceError("unauthorized", "gone"));
  expect(written).toEqual(["2 []", "end"]);
});
