import { type Detector, parseDetectors } from "../../redaction/detector.ts";
import { createJsonRedactor } from "../../redaction/redact-json.ts";
import { redactText } from "../../redaction/redact-text.ts";
import { memoize } from "../memoize.ts";
import { defineFunction, type ScalarFunction } from "../scalar-function.ts";

const readDetectors: (names: string) => readonly Detector[] = memoize(parseDetectors);
const jsonRedactorOf: (names: string) => (json: string) => string = memoize((names) =>
  createJsonRedactor(readDetectors(names)),
);

/** Personal data taken out of texts, and out of the string values of JSON; the second argument lists the detectors. */
export const redactFunctions: readonly ScalarFunction[] = [
  defineFunction("lw_redact", ["STRING", "STRING"], "STRING", (text, names) => redactText(text, readDetectors(names)), {
    fallibility: [1],
  }),
  defineFunction("lw_redact_json", ["STRING", "STRING"], "STRING", (json, names) => jsonRedactorOf(names)(json), {
    fallibility: [1],
  }),
];
