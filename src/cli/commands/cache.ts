import { type CommandContext, printAnswer } from "../context.ts";
import { readAnswer } from "../service-call.ts";

/** Drops the cached answers of an endpoint, or of all. */
export async function clearCache(context: CommandContext, endpoint?: string): Promise<void> {
  const query = endpoint === undefined ? "" : `?endpoint=${encodeURIComponent(endpoint)}`;
  const path = `/api/cache/clear${query}`;
  const answer = await readAnswer<{ readonly cleared: number }>(context, path, { method: "POST" });
  printAnswer(context, answer, `${answer.cleared} ${answer.cleared === 1 ? "answer was" : "answers were"} dropped.`);
}
