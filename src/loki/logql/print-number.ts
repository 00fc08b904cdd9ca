import { parseBytes, parseDuration } from "./scan-logql.ts";

/** A number as LogQL has it. */
export function printNumber(value: number): string {
  const text = Object.is(value, -0) ? "-0" : String(value);
  return text.replace("Infinity", "Inf");
}

/** Digits without an exponent. */
function printDecimal(value: number): string {
  const [digits = "", exponent = "0"] = String(value).split("e");
  const [whole = "", decimals = ""] = digits.split(".");
  const shift = Number(exponent);
  if (shift >= 0) {
    const all = decimals.padEnd(shift, "0");
    const rest = all.slice(shift);
    return whole + all.slice(0, shift) + (rest === "" ? "" : `.${rest}`);
  }
  return `0.${"0".repeat(-shift - 1)}${whole}${decimals}`;
}

type Units = readonly (readonly [unit: string, size: number])[];

/** Nanoseconds. A year and a week stand only where nothing is left, as in Loki. */
const durationUnits: Units = [
  ...([
    ["d", 86_400e9],
    ["h", 3_600e9],
    ["m", 60e9],
    ["s", 1e9],
  ] as const),
  ...([
    ["ms", 1e6],
    ["us", 1e3],
    ["ns", 1],
  ] as const),
];
const wholeUnits: Units = [
  ["y", 31_536_000e9],
  ["w", 604_800e9],
];

/** A duration of nanoseconds, such as `1h30m`. */
export function printDuration(ns: number): string {
  const size = Math.abs(ns);
  const sign = ns < 0 || Object.is(ns, -0) ? "-" : "";
  if (size === 0) return `${sign}0s`;
  const exact = `${printDecimal(size)}ns`;
  if (!Number.isSafeInteger(size)) return sign + exact;
  const whole = wholeUnits.find(([, each]) => size % each === 0);
  if (whole !== undefined) return `${sign}${size / whole[1]}${whole[0]}`;
  let rest = size;
  let text = "";
  for (const [unit, each] of durationUnits) {
    const count = Math.floor(rest / each);
    if (count > 0) text += `${count}${unit}`;
    rest %= each;
  }
  return sign + (parseDuration(text) === size ? text : exact);
}

const byteUnits: Units = ["E", "P", "T", "G", "M", "K"].flatMap((letter, index) => [
  [`${letter}iB`, 1024 ** (6 - index)] as const,
  [`${letter}B`, 1000 ** (6 - index)] as const,
]);

/** A number of bytes in the largest unit of which it is a multiple, such as `5MB`. */
export function printBytes(bytes: number): string {
  const size = Math.abs(bytes);
  const sign = bytes < 0 || Object.is(bytes, -0) ? "-" : "";
  const [unit, factor] = byteUnits.find(([, each]) => size > 0 && size % each === 0) ?? ["B", 1];
  const text = printDecimal(size / factor) + unit;
  return sign + (parseBytes(text) === size ? text : `${printDecimal(size)}B`);
}
