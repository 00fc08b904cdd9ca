import { afterAll } from "vitest";

// The worker goes on with the next file and the next mutant: what they load must be without this one.
afterAll(() => {
  const { __stryker__: state } = globalThis as { __stryker__?: { activeMutant?: string | undefined } };
  if (state !== undefined) state.activeMutant = undefined;
});
