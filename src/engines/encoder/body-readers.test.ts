import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { BodyError, type StoredBody } from "../contract/query-engine.ts";
import { createSourceState } from "../schema/source/source-state.ts";
import { defaultStoreLimits } from "../schema/source/store-limits.ts";
import { BodyReaders } from "./body-readers.ts";

const { signal } = new AbortController();
const state = createSourceState(
  { name: "edge", table: "t", entries: [], tenants: [], rules: undefined },
  defaultStoreLimits.schema,
);

interface Reading {
  readonly body: StoredBody;
  readonly end: () => void;
  readonly fail: (error: Error) => void;
}

/** Two threads that read when they are told to. */
function open() {
  const threads: Reading[][] = [];
  const readers = new BodyReaders<string>({ engine: "x", log: () => undefined }, () => {
    const readings: Reading[] = [];
    threads.push(readings);
    return {
      read: (_, body) =>
        new Promise((resolve, reject) => {
          const events = { count: 1, remarks: { rejected: [], untimed: 0 }, newestTimestampUs: 0n, keys: undefined };
          const end = () => resolve({ ...events, encode: () => Promise.reject(new Error()), release: () => undefined });
          readings.push({ body, end, fail: reject });
        }),
      close: async () => undefined,
    };
  });
  const [quick = [], slow = []] = threads;
  const read = (sender: string, bytes: number, contentEncoding?: string) =>
    readers.read(
      state,
      {
        ...{ sender, bytes: Buffer.alloc(bytes), contentType: undefined, contentEncoding },
        ...{ id: randomUUID(), nowUs: 0n, maxBytes: 12_000_000, wantsKeys: false },
      },
      signal,
    );
  return { readers, quick, slow, read };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const sendersOf = (readings: readonly Reading[]) => readings.map(({ body }) => body.sender).join("");

it("a sender's next body waits for no more than one of another's, and refuses beyond 64 of its own", async () => {
  const { quick, read } = open();
  const all = Array.from({ length: 66 }, () => read("a", 10));
  await nextTurn();
  await expect(read("a", 10)).rejects.toMatchObject({
    code: "overloaded",
    message: "64 bodies of this token are waiting to be read",
  });
  all.push(read("b", 10), read("c", 10), read("b", 10));
  for (let index = 0; index < all.length; index++) {
    await nextTurn();
    quick[index]?.end();
  }
  await Promise.all(all);
  expect(sendersOf(quick).slice(0, 8)).toBe("aaabcaba");
});

it("bodies that take long are read beside those that do not", async () => {
  const { quick, slow, read } = open();
  const long = [read("a", 1_000_001), read("a", 1_000_001), read("a", 1_000_001)];
  const short = read("b", 1_000_000);
  await nextTurn();
  expect([sendersOf(quick), sendersOf(slow)]).toEqual(["b", "aa"]);
  quick[0]?.end();
  await short;
  for (const each of [0, 1, 2]) {
    slow[each]?.end();
    await nextTurn();
  }
  await Promise.all(long);
});

it("a packed body that turns out to be long is read by the other thread, with all of its bytes", async () => {
  const { quick, slow, read } = open();
  const packed = read("a", 300, "gzip");
  await nextTurn();
  expect([quick[0]?.body.maxBytes, slow.length]).toEqual([1_000_000, 0]);
  quick[0]?.fail(new BodyError("body_too_large", "x"));
  await nextTurn();
  expect([slow[0]?.body.maxBytes, slow[0]?.body.bytes.length]).toEqual([12_000_000, 300]);
  // The first thread has taken its memory away.
  expect(slow[0]?.body.bytes.buffer).not.toBe(quick[0]?.body.bytes.buffer);
  slow[0]?.end();
  await packed;
  const bad = read("a", 300, "gzip");
  await nextTurn();
  quick[1]?.fail(new BodyError("invalid_body", "x"));
  await expect(bad).rejects.toMatchObject({ code: "invalid_body" });
});
