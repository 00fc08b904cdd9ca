import { describe, expect, it } from "vitest";
import { findPaymentCards } from "./payment-cards.ts";

/** First digits of a network's numbers, and how many digits they have in all (ISO/IEC 7812, the networks' own tables). */
const networks: readonly (readonly [string, string, readonly number[]])[] = [
  ["Visa", "4000", [13, 16, 19]],
  ["Mastercard", "5100", [16]],
  ["Mastercard", "5599", [16]],
  ["Mastercard of the second series", "2221", [16]],
  ["Mastercard of the second series", "2720", [16]],
  ["American Express", "3400", [15]],
  ["American Express", "3799", [15]],
  ["Diners Club", "3000", [14, 15, 16, 17, 18, 19]],
  ["Diners Club", "3059", [14, 15, 16, 17, 18, 19]],
  ["Diners Club", "3600", [14, 15, 16, 17, 18, 19]],
  ["JCB", "3528", [16, 17, 18, 19]],
  ["Discover, UnionPay and Maestro", "6011", [12, 13, 14, 15, 16, 17, 18, 19]],
  ["Maestro", "5018", [12, 13, 14, 15, 16, 17, 18, 19]],
  ["no network", "1000", []],
  ["no network", "3100", []],
  ["no network", "9000", []],
];

/** A number with its valid check digit, or with one that is off by `error`. */
function numberOf(prefix: string, length: number, error = 0): string {
  const body = prefix.padEnd(length - 1, "072");
  const sum = [...body].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return body + String((10 - (sum % 10) + error) % 10);
}

const lengths = Array.from({ length: 12 }, (_, index) => index + 10);
const cut = (text: string) => findPaymentCards(text).map(({ start, end }) => text.slice(start, end));

describe("a payment card number", () => {
  it.each(networks)("of %s, starting with %s, is found with the lengths %j only", (_, prefix, own) => {
    expect(lengths.filter((length) => cut(numberOf(prefix, length)).length > 0)).toEqual(own);
  });

  it.each(networks)("of %s, starting with %s, is not found when its check digit is wrong", (_, prefix) => {
    for (const error of [1, 5, 9]) {
      expect(lengths.filter((length) => cut(numberOf(prefix, length, error)).length > 0)).toEqual([]);
    }
  });

  it.each([17, 18, 19])("of %i digits is found in printed groups, whatever surrounds it", (length) => {
    const digits = numberOf("6011", length);
    for (const separator of [" ", "-"]) {
      const printed = [4, 8, 12, 16]
        .map((end) => digits.slice(end - 4, end))
        .concat(digits.slice(16))
        .join(separator);
      expect(cut(printed)).toEqual([printed]);
      expect(cut(`12 ${printed}`)).toEqual([printed]);
      expect(cut(`no. ${printed}, thanks`)).toEqual([printed]);
      expect(cut(`x${printed}`)).not.toContain(printed);
    }
  });
});
