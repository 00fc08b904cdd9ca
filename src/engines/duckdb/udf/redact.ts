import { type Detector, parseDetectors } from "../../../redaction/detector.ts";
import { createJsonRedactor } from "../../../redaction/redact-json.ts";
import { redactText } from "../../../redaction/redact-text.ts";
import { memoize } from "./memoize.ts";
import { defineUdf, type ScalarUdf } from "./udf.ts";

const readDetectors: (names: string) => readonly Detector[] = memoize(parseDetectors);
const jsonRedactorOf: (names: string) => (json: string) => string = memoize((names) =>
  createJsonRedactor(readDetectors(names)),
);

/** Personal data taken out of texts, and out of the string values of JSON; the second argument lists the detectors. */
export const redactUdfs: readonly ScalarUdf[] = [
  defineUdf("lw_redact", ["VARCHAR", "VARCHAR"], "VARCHAR", (text, names) => redactText(text, readDetectors(names))),
  defineUdf("lw_redact_json", ["VARCHAR", "VARCHAR"], "VARCHAR", (json, names) => jsonRedactorOf(names)(json)),
];
