import { ServiceError } from "../shared/errors.ts";
import type { LokiCaller } from "./loki-caller.ts";
import type { LineLabels } from "./pipeline/line-labels.ts";

/** Characters that a request holds at most, where results may have more bytes. */
const maxCharacters = 32_000_000;

/**
 * Counts the characters of lines, and of labels that stages made, which a request holds in memory. Throws
 * `result_too_large` beyond the bytes that a result may have: stages may make much of little.
 */
export function boundText({ runner, identity }: LokiCaller): (line: string, labels: LineLabels) => void {
  const { max_result_bytes: ownBytes = runner.maxResultBytes } = identity.budget;
  const most = Math.min(maxCharacters, runner.maxResultBytes, ownBytes);
  let held = 0;
  return (line, labels) => {
    held += line.length;
    for (const [name, value] of labels.of("parsed")) held += name.length + value.length;
    if (held <= most) return;
    throw new ServiceError("result_too_large", `The lines and labels of the query are larger than ${most} characters`, {
      hint: "Lower the limit, narrow the time range, or make shorter lines and fewer labels.",
    });
  };
}
