import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { corpus, plainTexts } from "../../test/support/redaction/tables/corpus.ts";
import { keptIps, redactedIps } from "../../test/support/redaction/tables/ip-corpus.ts";
import { sampleSize } from "../../test/support/sample-size.ts";
import { detectorNames, hintOf } from "./detector.ts";
import { redactJson } from "./redact-json.ts";
import { redactText } from "./redact-text.ts";

const entries = [
  ...corpus,
  ...redactedIps.map(([text, redacted]) => ({ detector: "ip", text, redacted }) as const),
  ...keptIps.map((text) => ({ detector: "ip", text, redacted: text }) as const),
];

describe("the redaction corpus", () => {
  it("has at least 400 texts", () => {
    expect(new Set(entries.map(({ detector, text }) => `${detector} ${text}`)).size).toBeGreaterThanOrEqual(400);
  });

  it("is redacted with precision and recall of 1 by each detector alone", () => {
    const wrong = entries
      .map((entry) => ({ ...entry, answer: redactText(entry.text, [entry.detector]) }))
      .filter(({ answer, redacted }) => answer !== redacted);
    expect(wrong).toEqual([]);
    const positive = entries.filter(({ text, redacted }) => text !== redacted);
    const found = entries.filter(({ detector, text }) => redactText(text, [detector]) !== text);
    const right = found.filter(({ text, redacted }) => text !== redacted);
    expect({ precision: right.length / found.length, recall: right.length / positive.length }).toEqual({
      precision: 1,
      recall: 1,
    });
  });

  it("leaves plain texts unchanged by all detectors together", () => {
    expect(plainTexts.filter((text) => redactText(text, detectorNames) !== text)).toEqual([]);
  });
});

/** A JSON string of the text in which each so many characters are escapes. */
function escapeSome(text: string, every: number): string {
  const parts = [...text].map((char, index) => {
    if ((index + 1) % every > 0 || char.length > 1) return JSON.stringify(char).slice(1, -1);
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
  return `"${parts.join("")}"`;
}

describe("the detectors' hints", () => {
  it("match the JSON of every such text, in which any character may be an escape", () => {
    for (const { detector, text } of entries) {
      const hint = new RegExp(hintOf([detector]));
      const written = [1, 2, 3, 7].map((every) => escapeSome(text, every));
      const found = written.filter((json) => redactJson(json, [detector]) !== json);
      expect(found.filter((json) => !hint.test(json))).toEqual([]);
      if (redactText(text, [detector]) !== text) expect(found).toEqual(written);
    }
  });

  it("match every text in which a detector finds something", () => {
    const found = entries.filter(({ detector, text }) => redactText(text, [detector]) !== text);
    const missed = found.filter(({ detector, text }) => !new RegExp(hintOf([detector])).test(text));
    expect(missed).toEqual([]);
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(..."0123456789abcf:.@+-eyJ []%/", "%3A", "%2E", "%40", "%2B", "\\u0031"), {
          maxLength: 40,
        }),
        fc.constantFrom(...detectorNames),
        (characters, detector) => {
          const text = characters.join("");
          if (redactText(text, [detector]) !== text) expect(text).toMatch(new RegExp(hintOf([detector])));
        },
      ),
      { seed: 1, numRuns: sampleSize(80, 10_000) },
    );
  });
});

it("redactText takes linear time on hostile texts with every detector", () => {
  const hostile = [
    "@",
    "a@",
    "a@b.",
    "eyJ",
    "eyJeyJ.",
    "eyJaaaaaaa.",
    "4111 ",
    "4 ",
    "41111111",
    "bearer ",
    "+1",
    "+1 ",
    "a.",
    "=",
    "%40",
    "%25",
    "%2525",
    "\\u0040",
    "1%2E",
    "eyJ_",
    "eyJ-a.",
  ];
  // Quadratic time would take hours here.
  for (const part of hostile) {
    const redacted = redactText(part.repeat(sampleSize(10_000, 100_000)), detectorNames);
    expect(redactText(redacted, detectorNames), part).toBe(redacted);
  }
});
