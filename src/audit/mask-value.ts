import { detectorNames } from "../redaction/detector.ts";
import { redactText } from "../redaction/redact-text.ts";

/** Longer texts are recorded by their length only: truncation could leave a half that no detector recognizes. */
export const maxReadLength = 1_000;
const maxKeptLength = 200;
const ownToken = /lw_[0-9a-z]{6,}/gi;
const removed = "REDACTED";

/** Turns a caller's value into its recorded form. */
export type MaskValue = (text: string) => string;

/**
 * Replaces personal data of every kind that there is a detector for, access tokens, and `secrets` by REDACTED, and cuts
 * what is left. Linear time.
 */
export function createMask(secrets: readonly string[]): MaskValue {
  return (text) => {
    if (text.length > maxReadLength) return `(${text.length} characters)`;
    let masked = text;
    for (const secret of secrets) masked = masked.replaceAll(secret, removed);
    masked = redactText(masked.replaceAll(ownToken, removed), detectorNames);
    return masked.length > maxKeptLength ? `${masked.slice(0, maxKeptLength)}…` : masked;
  };
}
