import { expect, it } from "vitest";
import { toEngineError } from "./driver-error.ts";

it.each([
  ["Out of Memory Error: could not allocate block of size 256.0 KiB (286.0 MiB/286.1 MiB used)"],
  ["TransactionContext Error: Failed to commit: failed to pin block of size 256.0 KiB (286.0 MiB/286.1 MiB used)"],
])("takes memory that is short for what it is: %s", (message) => {
  expect(toEngineError(new Error(message)).code).toBe("memory_exceeded");
});

it("takes any other failed commit for a fault", () => {
  expect(toEngineError(new Error("TransactionContext Error: Failed to commit: write-write conflict")).code).toBe(
    "internal",
  );
});
