import { findEmailAddresses } from "./detectors/email-addresses.ts";
import { findIpAddresses } from "./detectors/ip-addresses.ts";
import { findPaymentCards } from "./detectors/payment-cards.ts";
import { findPhoneNumbers } from "./detectors/phone-numbers.ts";
import { findBearerTokens, findJwts } from "./detectors/tokens.ts";
import type { TextRange } from "./text-range.ts";
import { escapeHint } from "./unescape.ts";

/** Kinds of personal data that can be found in text, as endpoint files write them. */
export const detectorNames = ["ip", "email", "jwt", "card", "bearer", "phone"] as const;

export type Detector = (typeof detectorNames)[number];

/** The detectors that apply where an endpoint names none. */
export const defaultDetectors: readonly Detector[] = ["ip", "email", "jwt", "card"];

/** How a kind of data is found. */
interface DetectorDefinition {
  /** Its places, from left to right, none touching another; in time linear in the text. */
  readonly find: (text: string) => readonly TextRange[];
  /** A pattern, the same to JavaScript and to RE2, that matches every text in which `find` finds anything. */
  readonly hint: string;
}

const definitions: Readonly<Record<Detector, DetectorDefinition>> = {
  ip: { find: findIpAddresses, hint: "[0-9]\\.[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]|:[0-9A-Fa-f]{0,4}:" },
  email: { find: findEmailAddresses, hint: "@" },
  jwt: { find: findJwts, hint: "eyJ" },
  card: { find: findPaymentCards, hint: "[0-9](?:[ -]?[0-9]){11}" },
  bearer: { find: findBearerTokens, hint: "[Bb][Ee][Aa][Rr][Ee][Rr]" },
  phone: { find: findPhoneNumbers, hint: "\\+[1-9]" },
};

const hints = new Map(detectorNames.map((name) => [name, new RegExp(definitions[name].hint)]));

/** The places of one kind of personal data in a text, from left to right. Most texts take one look. */
export function findPersonalData(name: Detector, text: string): readonly TextRange[] {
  return hints.get(name)?.test(text) === true ? definitions[name].find(text) : [];
}

/** A pattern, the same to JavaScript and to RE2, without which in a text there is nothing to redact. */
export function hintOf(names: readonly Detector[]): string {
  return [...names.map((name) => definitions[name].hint), escapeHint].join("|");
}

/** The names out of a text in which they are separated by commas. Throws for one that there is not. */
export function parseDetectors(text: string): readonly Detector[] {
  return text.split(",").map((name) => {
    const found = detectorNames.find((known) => known === name);
    if (found === undefined) throw new Error(`There is no detector ${name}`);
    return found;
  });
}
