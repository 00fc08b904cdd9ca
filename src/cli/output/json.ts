import { LosslessNumber, parse } from "lossless-json";

export { LosslessNumber };

/**
 * `JSON.parse`, but numbers keep their source text: `1.0` is no integer, and `9007199254740993` keeps its last digit.
 */
export function parseJson(text: string): unknown {
  return parse(text);
}
