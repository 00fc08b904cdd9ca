import type { TextRange } from "../text-range.ts";

/** Digits with single spaces or dashes between them, neither part of a word nor of a decimal. */
const run = /(?<![\p{L}\p{N}]|\d[.,])\d(?:[ -]?\d)*(?![\p{L}\p{N}_]|[.,]\d)/gu;
/** First digits and lengths of the networks' numbers (ISO/IEC 7812). */
const networks: readonly RegExp[] = [
  /^4(?:\d{12}|\d{15}|\d{18})$/,
  /^(?:5[1-5]|2[2-7])\d{14}$/,
  /^3[47]\d{13}$/,
  /^3(?:0[0-5]|[689]\d)\d{11,16}$/,
  /^35\d{14,17}$/,
  /^(?:6011|6[245]\d\d)\d{12,15}$/,
  /^(?:5[0678]|6\d)\d{10,17}$/,
];
/** How cards are printed: lengths of the groups. */
const groupings = ["4,4,4,4", "4,4,4,4,1", "4,4,4,4,2", "4,4,4,4,3", "4,6,5", "4,6,4"];

/** Payment card numbers that pass the check of their last digit (Luhn), with spaces or dashes or none. */
export function findPaymentCards(text: string): readonly TextRange[] {
  return [...text.matchAll(run)].flatMap(({ 0: digits, index }) => findInRun(digits, index));
}

function findInRun(digits: string, offset: number): readonly TextRange[] {
  if (digits.length < 12) return [];
  if (digits.length < 40 && isCard(digits)) return [{ start: offset, end: offset + digits.length }];
  // Other numbers may stand beside the card: look for groups as they are printed.
  const groups = [...digits.matchAll(/\d+/g)];
  const found: TextRange[] = [];
  for (let first = 0; first < groups.length; first++) {
    for (const size of [5, 4, 3, 1]) {
      const taken = groups.slice(first, first + size);
      const [head] = taken;
      const last = taken.at(-1);
      if (taken.length < size || head === undefined || last === undefined) continue;
      if (size > 1 && !groupings.includes(taken.map(([group]) => group.length).join(","))) continue;
      const end = last.index + last[0].length;
      if (!isCard(digits.slice(head.index, end))) continue;
      found.push({ start: offset + head.index, end: offset + end });
      first += size - 1;
      break;
    }
  }
  return found;
}

function isCard(text: string): boolean {
  const digits = text.replace(/[ -]/g, "");
  if (digits.length < 12 || digits.length > 19) return false;
  return networks.some((network) => network.test(digits)) && passesLuhn(digits);
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = digit * 2;
    sum += index % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
