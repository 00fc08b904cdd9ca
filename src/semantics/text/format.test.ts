import { describe, expect, it } from "vitest";
import { type FormatKind, formatValues, specifierLetters } from "./format.ts";

function format(
  text: string,
  ...args: readonly (readonly [FormatKind, string | null, (string | null)?])[]
): string | null {
  return formatValues(
    text,
    args.map(([kind, value, literal = null]) => ({ kind, text: value, literal })),
  );
}

const int = (value: bigint | number) => ["i", String(value)] as const;
const double = (value: number) => ["f", String(value)] as const;
const numeric = (value: string) => ["n", value] as const;
const string = (value: string | null) => ["s", value] as const;

describe("formatValues", () => {
  it.each([
    ["%d|%i", [int(-5), int(7)], "-5|7"],
    ["|%10d|%-6d|%06d|%+d|% d|", [int(11), int(11), int(-11), int(5), int(5)], "|        11|11    |-00011|+5| 5|"],
    ["%.4d|%6.4d|%.0d", [int(42), int(-42), int(0)], "0042| -0042|"],
    ["%'d %'x %'o", [int(12345678), int(12345678), int(55555)], "12,345,678 bc:614e 15,4403"],
    [
      "%o %x %X %#o %#x %#X %#x",
      [int(10), int(255), int(255), int(8), int(255), int(255), int(0)],
      "12 ff FF 010 0xff 0XFF 0x0",
    ],
    ["%*d|%-*d|%*d", [int(5), int(1), int(3), int(2), int(-4), int(3)], "    1|2  |3   "],
    ["%d", [int(-9223372036854775808n)], "-9223372036854775808"],
  ] as const)("writes integers: %s", (text, args, expected) => {
    expect(format(text, ...args)).toBe(expected);
  });

  it.each([
    ["%f %F", [double(1.1), double(-0.5)], "1.100000 -0.500000"],
    ["%.0f %.0f %.0f", [double(0.5), double(1.5), double(2.5)], "0 2 2"],
    ["%.2f", [double(1.005)], "1.00"],
    ["%e %E %.0e", [double(392.65), double(2.2), double(15)], "3.926500e+02 2.200000E+00 2e+01"],
    [
      "%g %g %g %G",
      [double(392.65), double(39265000), double(0.00001), double(1e-10)],
      "392.65 3.9265e+07 1e-05 1E-10",
    ],
    ["%#g|%#.3g|%#.0f|%#.0e", [double(1), double(10), double(3), double(3)], "1.00000|10.0|3.|3.e+00"],
    [
      "%010.3f|%+.1f|% .1f|%-8.1f|",
      [double(1.5), double(1.5), double(1.5), double(1.5)],
      "000001.500|+1.5| 1.5|1.5     |",
    ],
    ["%'.2f", [double(1234567.891)], "1,234,567.89"],
    [
      "%f %F %05f %+f",
      [
        double(Number.POSITIVE_INFINITY),
        double(Number.NaN),
        double(Number.NEGATIVE_INFINITY),
        double(Number.POSITIVE_INFINITY),
      ],
      "inf NAN  -inf +inf",
    ],
    ["%.20f", [double(0.1)], "0.10000000000000000555"],
    ["%.1f", [double(2 ** 70)], "1180591620717411303424.0"],
    ["%g", [double(5e-324)], "4.94066e-324"],
  ] as const)("writes doubles from their exact value: %s", (text, args, expected) => {
    expect(format(text, ...args)).toBe(expected);
  });

  it.each([
    ["%.0f", "0.5", "1"],
    ["%f", "99999999999999999999999999999.999999999", "100000000000000000000000000000.000000"],
    ["%.11f", "99999999999999999999999999999.999999999", "99999999999999999999999999999.99999999900"],
    ["%.3e", "0.00099995", "1.000e-03"],
    ["%.0e", "-0.00015", "-2e-04"],
    ["%g", "1000000", "1e+06"],
    ["%.7g", "1000000", "1000000"],
    ["%.2147483647g", "-0.000099999", "-9.9999e-05"],
    ["%'.9G", "-1595", "-1,595"],
    ["%0#+'16.7g", "12345", "+00000012,345.00"],
    ["%.0g", "0.000095", "0.0001"],
    ["%g", "0", "0"],
  ])("writes decimals with halves rounded away from zero: %s of %s", (text, value, expected) => {
    expect(format(text, numeric(value))).toBe(expected);
  });

  it("pads and cuts strings by characters, and prints any value with %%t and %%T", () => {
    expect(format("[%s] [%5s] [%-5s] [%.2s]", string("ab"), string("😀b"), string("ab"), string("😀bc"))).toBe(
      "[ab] [   😀b] [ab   ] [😀b]",
    );
    expect(format("%t %T %8t", ["x", "2015-09-01", 'DATE "2015-09-01"'], ["s", "a", '"a"'], ["x", null])).toBe(
      '2015-09-01 "a"     NULL',
    );
    expect(format("100%%")).toBe("100%");
  });

  it("writes JSON on one line or several", () => {
    expect(format("%p", ["j", '{"a":[1,{}]}'])).toBe('{"a":[1,{}]}');
    expect(format("%P", ["j", '{"a":[1,{}]}'])).toBe('{\n  "a": [\n    1,\n    {}\n  ]\n}');
  });

  it("returns NULL for a NULL argument, except under %%t and %%T", () => {
    expect(format("%d", ["i", null])).toBeNull();
    expect(format("%*d", ["i", null], int(1))).toBeNull();
    expect(format("%s-%s", string("a"), string(null))).toBeNull();
    expect(format("%T", ["s", null, null])).toBe("NULL");
  });

  it.each([
    ["%s", [int(1)], "wrong type for %s"],
    ["%d", [string("1")], "wrong type for %d"],
    ["%f", [int(1)], "wrong type for %f"],
    ["%u", [int(-1)], "negative"],
    ["%", [], "invalid format specifier"],
    ["%y", [int(1)], "invalid format specifier"],
    ["%d %d", [int(1)], "too few arguments"],
    ["%d", [int(1), int(2)], "too many arguments"],
    ["%99999999d", [int(1)], "not supported"],
    ["%.99999999f", [double(1)], "not supported"],
  ] as const)("rejects %s", (text, args, message) => {
    expect(() => format(text, ...args)).toThrow(message);
  });
});

describe("specifierLetters", () => {
  it("returns the letter that formats each argument", () => {
    expect(specifierLetters("a%%b %5d %-*.*f %T")).toBe("d**fT");
    expect(specifierLetters("%y")).toBeUndefined();
  });
});
