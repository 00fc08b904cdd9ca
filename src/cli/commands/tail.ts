import { setTimeout as sleep } from "node:timers/promises";
import { formatIsoTimestamp } from "../../iso-timestamp.ts";
import type { CliContext } from "../context.ts";
import { writeLine } from "../lines.ts";
import { readAnswer } from "../service-call.ts";
import type { ServiceCommandOptions } from "../service-commands.ts";

interface EventAnswer {
  readonly id: string;
  readonly timestamp: number;
  readonly event_message: string | null;
}

const pollMs = 1_000;
/** Events that come late by up to so much are still shown. */
const lateUs = 10_000_000;

/** Prints a source's newest events and then, once a second, those that came since, until the process is ended or `signal` aborted. */
export async function tail(
  source: string,
  options: ServiceCommandOptions,
  context: CliContext,
  signal?: AbortSignal,
): Promise<void> {
  const path = `/api/sources/${encodeURIComponent(source)}/events`;
  let shown = new Map<string, number>();
  let newest: number | undefined;
  while (signal?.aborted !== true) {
    const from = newest === undefined ? undefined : newest - lateUs;
    const query = from === undefined ? "?limit=10" : `?limit=1000&after=${formatIsoTimestamp(BigInt(from))}`;
    const { result } = await readAnswer<{ readonly result: readonly EventAnswer[] }>(path + query, options, context);
    for (const event of [...result].reverse()) {
      newest = Math.max(newest ?? event.timestamp, event.timestamp);
      if (shown.has(event.id)) continue;
      shown.set(event.id, event.timestamp);
      await writeLine(context.output, options.json === true ? JSON.stringify(event) : toLine(event));
    }
    const oldest = (newest ?? 0) - lateUs;
    shown = new Map([...shown].filter(([, timestamp]) => timestamp >= oldest));
    await sleep(pollMs, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
  }
}

function toLine({ timestamp, event_message: message, id }: EventAnswer): string {
  // A line of the log is one line of the output.
  return `${formatIsoTimestamp(BigInt(timestamp))}  ${(message ?? id).replaceAll(/[\r\n\t]+/g, " ")}`;
}
