import type { ServiceCommandOptions } from "../command-definition.ts";
import { type CliContext, print, printJson } from "../context.ts";
import { readAnswer } from "../service-call.ts";

/** Drops the cached answers of an endpoint, or of all. */
export async function clearCache(
  endpoint: string | undefined,
  options: ServiceCommandOptions,
  context: CliContext,
): Promise<void> {
  const query = endpoint === undefined ? "" : `?endpoint=${encodeURIComponent(endpoint)}`;
  const answer = await readAnswer<{ readonly cleared: number }>(`/api/cache/clear${query}`, options, context, {
    method: "POST",
  });
  if (options.json === true) printJson(context.output, answer);
  else print(context.output, `${answer.cleared} ${answer.cleared === 1 ? "answer was" : "answers were"} dropped.`);
}
