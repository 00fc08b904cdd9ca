import { describe, expect, it } from "vitest";
import { detectorNames } from "../redaction/detector.ts";
import { canFail } from "./can-fail.ts";
import { scalarFunctions } from "./index.ts";
import type { ScalarFunction, ScalarType, ScalarValue } from "./scalar-function.ts";

/** The limits of each type, and texts that some function cannot read. */
const hostile: Readonly<Record<ScalarType, readonly (ScalarValue | null)[]>> = {
  STRING: [
    ...[
      "",
      "a",
      "(",
      "{",
      "[",
      '"',
      "\\",
      "%",
      "%Y",
      "%E4S%",
      "!",
      "é",
      "ǆ",
      "ß",
      "İ",
      "\u{1F600}",
      "\ud800",
      "\0",
      "-",
      "-1",
    ],
    ...[
      "1e400",
      "NaN",
      "$",
      "$[",
      "UTC",
      "{}",
      "[1]",
      '{"a":1}',
      "null",
      "2020-02-30",
      "0001-01-01 00:00:00+14",
      "http://[::1",
    ],
    ...[
      "http://u@h:99999/x?y#z",
      `${"a".repeat(300)}.com`,
      "1.1.1.1",
      "::1",
      "9".repeat(400),
      "[".repeat(3000),
      "x".repeat(5000),
    ],
    ...["a@b.co", "4111 1111 1111 1111", "+1 555 0100", "eyJhbGciOiJIUzI1NiJ9.e30.x"],
  ],
  INT64: [0n, 1n, -1n, 15n, 100n, 2n ** 63n - 1n, -(2n ** 63n)],
  FLOAT64: [0, -0, 1, -1, 0.5, 710, 1e308, 5e-324, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  BOOL: [true, false],
  NUMERIC: [0n, 1n, -1n, 10n ** 9n, 10n ** 38n - 1n, 1n - 10n ** 38n],
  BIGNUMERIC: [0n, 1n, -1n, 10n ** 38n, 5n * 10n ** 76n, -5n * 10n ** 76n],
  BYTES: [
    new Uint8Array(0),
    Uint8Array.of(0),
    Uint8Array.of(255, 254),
    new Uint8Array(16),
    new Uint8Array(5000).fill(200),
  ],
  TIMESTAMP: [0n, 1n, -1n, -62_135_596_800_000_000n, 253_402_300_799_999_999n],
  DATE: [0, 1, -719_162, 2_932_896],
  TIME: [0n, 86_399_999_999n],
  "STRING[]": [[], [null], [""], ["a", "b"], ["(", null]],
  "INT64[]": [[], [null], [0n], [-1n, 2n ** 62n]],
  "FLOAT64[]": [[], [null], [Number.NaN], [0], [1, 2]],
};

/** The values that the compiler prints for arguments that decide whether a call fails. */
const constants: Readonly<Record<string, readonly string[]>> = {
  lw_casefold: ["NFC", "NFKC", "NFD", "NFKD"],
  lw_normalize: ["NFC", "NFKC", "NFD", "NFKD"],
  lw_redact: [detectorNames.join(",")],
  lw_redact_json: [detectorNames.join(",")],
  lw_try_timestamp_from_text: ["UTC", "America/Los_Angeles"],
};

function argumentLists({
  name,
  parameters,
  fallibility,
}: ScalarFunction): readonly (readonly (ScalarValue | null)[])[] {
  let lists: readonly (readonly (ScalarValue | null)[])[] = [[]];
  parameters.forEach((type, index) => {
    const values = fallibility?.includes(index) === true ? constants[name] : hostile[type];
    if (values === undefined) throw new Error(`Which values has argument ${index} of ${name}?`);
    lists = lists.flatMap((list) => values.map((value) => [...list, value]));
  });
  return lists;
}

describe("the functions whose rows say that they never fail", () => {
  it.each(scalarFunctions.filter((udf) => !canFail(udf)))("$name", (udf) => {
    const failures = argumentLists(udf).flatMap((values) => {
      try {
        udf.call(...values);
        return [];
      } catch (error) {
        return [`${values.join(", ")}: ${String(error)}`];
      }
    });
    expect(failures).toEqual([]);
  });
});
