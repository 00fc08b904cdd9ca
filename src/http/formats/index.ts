import type { AnswerFormat } from "./answer-format.ts";
import { arrowFormat } from "./arrow.ts";
import { csvFormat } from "./csv.ts";
import { jsonFormat, ndjsonFormat } from "./json.ts";
import { parquetFormat } from "./parquet.ts";

/** Every form of an answer; the first is what is answered unless another is asked for. */
export const answerFormats: readonly [AnswerFormat, ...AnswerFormat[]] = [
  jsonFormat,
  ndjsonFormat,
  csvFormat,
  parquetFormat,
  arrowFormat,
];
