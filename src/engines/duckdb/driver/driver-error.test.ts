import { expect, it } from "vitest";
import { isFatal, toEngineError } from "./driver-error.ts";

it.each([
  ["Out of Memory Error: could not allocate block of size 256.0 KiB (286.0 MiB/286.1 MiB used)"],
  ["TransactionContext Error: Failed to commit: failed to pin block of size 256.0 KiB (286.0 MiB/286.1 MiB used)"],
  ["Failed to append: failed to allocate data of size 32.0 KiB (514.7 MiB/488.2 MiB used)\n\nPossible solutions:\n* x"],
  ["Failed to append: could not allocate block of size 32.0 KiB (499.5 MiB/488.2 MiB used)"],
  ["Cannot create a data chunk with these column types: VARCHAR, TIMESTAMP, BIGINT"],
  ["Failed to set column 3 (VARCHAR[])"],
  ["Failed to create vector"],
])("toEngineError maps an out-of-memory message to memory_exceeded: %s", (message) => {
  expect(toEngineError(new Error(message)).code).toBe("memory_exceeded");
});

it("toEngineError takes no value that a query quotes for a lack of memory", () => {
  const message = "Conversion Error: Could not convert string '(1.0 MiB/1.0 MiB used) bad allocation' to INT64";
  expect(toEngineError(new Error(message)).code).toBe("query_failed");
});

it("toEngineError looks at the error of a statement that was run step by step, not at its wrapping", () => {
  const wrap = (message: string) =>
    new Error(
      `Invalid Input Error: Attempting to execute an unsuccessful or closed pending query result\nError: ${message}`,
    );
  expect(toEngineError(wrap("TransactionContext Error: Cannot CHECKPOINT: others are active")).code).toBe("internal");
  expect(toEngineError(wrap("Out of Memory Error: could not allocate block")).code).toBe("memory_exceeded");
  expect(isFatal(wrap("FATAL Error: Failed: database has been invalidated"))).toBe(true);
});

it("toEngineError maps any other failed commit to an internal error", () => {
  expect(toEngineError(new Error("TransactionContext Error: Failed to commit: write-write conflict")).code).toBe(
    "internal",
  );
});

it.each([
  [
    "Out of Range Error: Overflow in addition of INT64 (9223372036854775807 + 1)!",
    "INT64 overflow: 9223372036854775807 + 1",
  ],
  ["Out of Range Error: Overflow in negation of numeric value!", "INT64 overflow: -(-9223372036854775808)"],
  [
    "Conversion Error: Type INT128 with value 9223372036854775808 can't be cast because the value is out of range for the destination type INT64",
    "INT64 overflow: 9223372036854775808",
  ],
  [
    "Out of Range Error: Overflow in subtraction of DECIMAL(38) (-99999999999999999999999999999000000000 - 1500000000);",
    "NUMERIC overflow: -99999999999999999999999999999 - 1.5",
  ],
  [
    'Conversion Error: Casting value "100000000000000000000000000000" to type DECIMAL(38,9) failed: value is out of range!',
    "NUMERIC overflow: 100000000000000000000000000000",
  ],
])("toEngineError words an overflow in terms of GoogleSQL's types: %s", (message, told) => {
  expect(toEngineError(new Error(message))).toMatchObject({ code: "query_failed", message: told });
});

it.each(["Parser", "Binder"])(
  "toEngineError maps a query that is too deep for the engine's %s to query_failed",
  (part) => {
    const message = `${part} Error: Max expression depth limit of 1000 exceeded. Use "SET max_expression_depth TO x"`;
    expect(toEngineError(new Error(message))).toMatchObject({
      code: "query_failed",
      message: "The query is nested deeper than the engine can read",
    });
  },
);

it("toEngineError cuts off the line of SQL behind a quoted value of any length", () => {
  const value = "\n".repeat(500_000);
  const message = `Conversion Error: Could not convert string '${value}' to INT64\n\nLINE 1: SELECT secret`;
  expect(toEngineError(new Error(message)).message).toBe(`Could not convert string '${value}' to INT64`);
});

it.each([
  "IO Error: Corrupt database file: computed checksum 1 does not match stored checksum 2 in block at location 0",
  'IO Error: Could not read enough bytes from file "events.duckdb": attempted to read 4096 bytes from location 4096',
])("toEngineError tells what to do where a block is damaged or cut off: %s", (message) => {
  expect(toEngineError(new Error(message))).toMatchObject({
    ...{ code: "damaged", message: expect.stringContaining("`logweir doctor --deep` says which") },
  });
});
