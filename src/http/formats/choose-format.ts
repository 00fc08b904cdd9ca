import { invalidParameter, ServiceError } from "../../shared/errors.ts";
import { readWeights } from "../answer/content-encoding.ts";
import type { AnswerFormat } from "./answer-format.ts";

/**
 * The form of an answer: what `format` names, else what `Accept` asks for (RFC 9110, section 12.5.1), else the first of
 * `formats`. Throws `invalid_parameter` for an unknown `format`, and `not_acceptable` where Accept admits none of them.
 */
export function chooseFormat(
  formats: readonly [AnswerFormat, ...AnswerFormat[]],
  named: unknown,
  accept: string | undefined,
): AnswerFormat {
  if (named !== undefined && named !== null && named !== "") {
    const format = formats.find(({ name }) => name === named);
    if (format !== undefined) return format;
    const allowed = formats.map(({ name }) => name);
    throw invalidParameter("format", `The parameter format must be one of ${allowed.join(", ")}`, { allowed });
  }
  if (accept === undefined || accept.trim() === "") return formats[0];
  const ranges = readWeights(accept);
  let best: { readonly format: AnswerFormat; readonly quality: number } | undefined;
  for (const format of formats) {
    const quality = qualityOf(ranges, format.mediaType);
    if (quality > (best?.quality ?? 0)) best = { format, quality };
  }
  if (best !== undefined) return best.format;
  throw new ServiceError("not_acceptable", "Answers cannot be had in a form that the Accept header names", {
    allowed: formats.map(({ mediaType }) => mediaType),
  });
}

/** The weight that the most exact range gives to a media type. */
function qualityOf(ranges: ReturnType<typeof readWeights>, mediaType: string): number {
  const group = `${mediaType.split("/")[0]}/*`;
  for (const wanted of [mediaType, group, "*/*"]) {
    const [, quality] = ranges.find(([range]) => range === wanted) ?? [];
    if (quality !== undefined) return quality;
  }
  return 0;
}
