import { expect, it } from "vitest";
import { createRateLimiter } from "./rate-limiter.ts";

it("the rate limiter allows a caller a burst, then calls at its rate, independently of other callers", () => {
  let now = 0;
  const rates = createRateLimiter(60, () => now);
  const take = (caller = "a") => rates.take(caller);
  for (let call = 0; call < 10; call++) take();
  const message = "This token made too many calls: it may make 60 a minute";
  const details = { retryAfterSeconds: 1 };
  expect(() => take()).toThrow(expect.objectContaining({ code: "rate_limited", message, details }));
  take("b");
  now = 999;
  expect(() => take()).toThrow();
  now = 1_000;
  take();
  expect(() => take()).toThrow();
  now = 3_600_000;
  for (let call = 0; call < 10; call++) take();
  expect(() => take()).toThrow();
});

it("the rate limiter allows every call when no rate is set", () => {
  const rates = createRateLimiter(undefined, () => 0);
  for (let call = 0; call < 1_000; call++) rates.take("a");
});
