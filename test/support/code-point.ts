import fc from "fast-check";

/**
 * Any character of Unicode but surrogates, for `fc.string({ unit: codePoint })`. The library's own unit "binary", which
 * is the same, makes a table of them all in every process that uses it.
 */
export const codePoint = fc
  .nat({ max: 0x10_ff_ff - 0x8_00 })
  .map((number) => String.fromCodePoint(number < 0xd8_00 ? number : number + 0x8_00));
