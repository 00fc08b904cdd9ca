/** Values that no list has: any number, text or moment of a type, as a query writes it. */
import type { Random } from "./random.ts";

const CHARACTERS = ["a", "A", "b", "é", "ß", "😀", " ", ",", "1", ".", "%", "_", "-", "x", "\\\\", "\\'", "\\n"];
const MICROS_PER_DAY = 86_400_000_000;

function digits(random: Random, count: number): string {
  return random.times(count, () => String(random.below(10))).join("");
}

function sign(random: Random): string {
  return random.chance(50) ? "-" : "";
}

function integer(random: Random): string {
  const bits = 1 + random.below(62);
  const value = random.times(bits, () => random.below(2)).reduce((sum, bit) => sum * 2n + BigInt(bit), 0n);
  return String(random.chance(50) ? -value : value);
}

function double(random: Random): string {
  const written = `${1 + random.below(9)}.${digits(random, random.below(17))}`.replace(/\.$/, "");
  const exponent = random.chance(70) ? random.below(24) - 12 : random.below(600) - 300;
  return `CAST('${sign(random)}${written}e${exponent}' AS FLOAT64)`;
}

function decimal(random: Random, type: string): string {
  const [whole, fraction] = type === "NUMERIC" ? [29, 9] : [38, 38];
  return `${type} '${sign(random)}${digits(random, 1 + random.below(whole))}.${digits(random, 1 + random.below(fraction))}'`;
}

function text(random: Random): string {
  return `'${random.times(random.below(12), () => random.pick(CHARACTERS)).join("")}'`;
}

function bytes(random: Random): string {
  const hex = () => random.below(256).toString(16).padStart(2, "0");
  return `b'${random.times(random.below(9), () => `\\x${hex()}`).join("")}'`;
}

/** Writes a date in the years 1 to 9999, most of them close to today. */
function day(random: Random): string {
  const days = random.chance(70) ? random.below(36_525) - 7_300 : random.below(3_652_059) - 719_162;
  return new Date(days * 86_400_000).toISOString().replace(/^\+0*/, "").slice(0, 10);
}

function clock(random: Random): string {
  const micros = random.below(MICROS_PER_DAY);
  const time = new Date(Math.floor(micros / 1000)).toISOString().slice(11, 19);
  return random.chance(40) ? time : `${time}.${String(micros % 1_000_000).padStart(6, "0")}`;
}

function interval(random: Random): string {
  const date = `${sign(random)}${random.below(50)}-${random.below(12)} ${sign(random)}${random.below(400)}`;
  return `INTERVAL '${date} ${sign(random)}${random.below(50)}:${random.below(60)}:${clock(random).slice(6)}' YEAR TO SECOND`;
}

/** A value of the type, or undefined for one whose lists are enough. */
export function randomValue(random: Random, type: string): string | undefined {
  switch (type) {
    case "INT64":
      return integer(random);
    case "FLOAT64":
      return double(random);
    case "NUMERIC":
    case "BIGNUMERIC":
      return decimal(random, type);
    case "STRING":
      return text(random);
    case "BYTES":
      return bytes(random);
    case "DATE":
      return `DATE '${day(random)}'`;
    case "TIME":
      return `TIME '${clock(random)}'`;
    case "DATETIME":
      return `DATETIME '${day(random)} ${clock(random)}'`;
    case "TIMESTAMP":
      return `TIMESTAMP '${day(random)} ${clock(random)}+00'`;
    case "INTERVAL":
      return interval(random);
    default:
      return undefined;
  }
}
