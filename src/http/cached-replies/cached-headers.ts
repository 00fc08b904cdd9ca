import { ageHeaders, ageOf } from "../answer/answer-headers.ts";

/** The headers of one cached answer: most are the same each time, and laid out once. */
export interface CachedHeaders {
  /** Names and values for an answer that is sent now. They are good until the next call. */
  fill(call: { readonly nowMs: number; readonly requestId: string; readonly authMs: number }): string[];
}

/** `Server-Timing` for common durations: formatting a number again takes as long as all other headers. */
const timingTexts: readonly string[] = Array.from({ length: 1_000 }, (_, us) => timingText(us));

/** `bodyBytes` undefined: the answer has no body. */
export function createCachedHeaders(
  fixed: readonly string[],
  entry: { readonly computedAtMs: number; readonly cacheSeconds: number; readonly bodyBytes: number | undefined },
): CachedHeaders {
  const { computedAtMs, cacheSeconds, bodyBytes } = entry;
  const length = bodyBytes === undefined ? [] : ["content-length", String(bodyBytes)];
  const ageAt = fixed.length + length.length;
  let ageSeconds = 0;
  const lines = [...fixed, ...length, ...ageHeaders(ageSeconds, cacheSeconds), "x-request-id", "", "server-timing", ""];
  return {
    fill({ nowMs, requestId, authMs }) {
      const age = ageOf(computedAtMs, nowMs);
      if (age !== ageSeconds) {
        ageSeconds = age;
        for (const [index, text] of ageHeaders(age, cacheSeconds).entries()) lines[ageAt + index] = text;
      }
      const authUs = Math.round(authMs * 1_000);
      lines[ageAt + 5] = requestId;
      lines[ageAt + 7] = timingTexts[authUs] ?? timingText(authUs);
      return lines;
    },
  };
}

function timingText(authUs: number): string {
  return `auth;dur=${authUs / 1_000}`;
}
