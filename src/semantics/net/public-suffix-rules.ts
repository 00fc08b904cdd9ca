/** The public suffixes as sets to look up. */
import { domainToASCII } from "node:url";
import {
  COUNTRY_SUFFIXES,
  EXCEPTIONS,
  GENERIC_TLDS,
  HOSTING_SUFFIXES,
  INTERNATIONAL_TLDS,
  WILDCARDS,
} from "./tables/public-suffixes.ts";

export interface PublicSuffixRules {
  readonly suffixes: ReadonlySet<string>;
  /** Domains each of whose direct children is a suffix. */
  readonly wildcards: ReadonlySet<string>;
  /** Children of such a domain that are not public suffixes. */
  readonly exceptions: ReadonlySet<string>;
}

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

function readRules(): PublicSuffixRules {
  const suffixes = new Set([
    ...words(GENERIC_TLDS),
    ...words(INTERNATIONAL_TLDS).map(domainToASCII),
    ...words(HOSTING_SUFFIXES),
  ]);
  const wildcards = new Set(words(WILDCARDS));
  for (const line of COUNTRY_SUFFIXES.trim().split("\n")) {
    const [country = "", ...children] = words(line);
    if (!wildcards.has(country)) suffixes.add(country);
    for (const child of children) suffixes.add(`${child}.${country}`);
  }
  return { suffixes, wildcards, exceptions: new Set(words(EXCEPTIONS)) };
}

/** Every rule that is known here. */
export const PUBLIC_SUFFIX_RULES: PublicSuffixRules = readRules();
