import { expect, it } from "vitest";
import type { TailRow } from "../../endpoints/tail/ask-tail.ts";
import { ServiceError } from "../../shared/errors.ts";
import { createTailGuard, guardFollower } from "./tail-guard.ts";

const identity = {
  tokenId: "t",
  scopes: ["query"],
  pins: {},
  budget: {},
  redaction: "fixed",
  expiresAt: 1_000,
} as const;

it.each<[string, string | undefined, () => Promise<typeof identity>]>([
  ["a person whom a proxy named", undefined, async () => identity],
  ["a token that is still known", "secret", async () => identity],
])("%s follows no longer than its rights last", async (_, secret, authenticate) => {
  let now = 999;
  const guard = createTailGuard({
    ...{ identity, secret, nowMs: () => now, revision: () => 1, openedAt: 1, view: "", readView: async () => "" },
    authenticator: { authenticate, recall: () => undefined },
  });
  expect(await guard.check()).toBeUndefined();
  now = 1_000;
  expect((await guard.check())?.code).toBe("unauthorized");
});

it("a token that cannot be looked up any more follows no further", async () => {
  const authenticate = () => Promise.reject(new ServiceError("metadata_unavailable", ""));
  const guard = createTailGuard({
    ...{ identity, nowMs: () => 0, revision: () => 1, openedAt: 1, view: "", readView: async () => "" },
    secret: "secret",
    authenticator: { authenticate, recall: () => undefined },
  });
  expect((await guard.check())?.code).toBe("metadata_unavailable");
});

const flush = () => new Promise((resolve) => setImmediate(resolve));

function open() {
  const told: string[] = [];
  const waiting: ((refusal: ServiceError | undefined) => void)[] = [];
  const follower = guardFollower(
    {
      deliver: (rows) => void told.push(...rows.map(({ json }) => json)),
      skip: (count) => void told.push(`skipped ${count}`),
      end: ({ code }) => void told.push(code),
    },
    { check: () => new Promise((resolve) => waiting.push(resolve)) },
  );
  const answer = async (refusal?: ServiceError) => {
    waiting.shift()?.(refusal);
    await flush();
  };
  const rows = (...texts: readonly string[]) =>
    texts.map((json): TailRow => ({ key: json, timeUs: 0n, json, place: [] }));
  return { told, waiting, follower, answer, rows };
}

it("nothing is shown before the guard was asked, nor once it refused", async () => {
  const { told, follower, answer, rows } = open();
  follower.deliver(rows("a"));
  follower.deliver(rows("b"));
  follower.skip(3);
  await flush();
  expect(told).toEqual([]);
  await answer();
  expect(told).toEqual(["a"]);
  await answer(new ServiceError("unauthorized", "gone"));
  await answer();
  expect(told).toEqual(["a", "unauthorized"]);
});

it("while the guard has no answer, few lists wait, the others are counted, and it is asked once", async () => {
  const { told, waiting, follower, answer, rows } = open();
  for (let index = 0; index < 25; index++) follower.deliver(rows(`${index}`, "x"));
  for (let beat = 0; beat < 1_000; beat++) follower.deliver([]);
  await flush();
  expect(waiting).toHaveLength(1);
  for (let index = 0; index < 20; index++) await answer();
  expect(waiting).toHaveLength(0);
  expect(told.filter((text) => text !== "x" && !text.startsWith("skipped"))).toEqual(
    Array.from({ length: 20 }, (_, index) => `${index}`),
  );
  expect(told.filter((text) => text.startsWith("skipped"))).toEqual(["skipped 10"]);
});
