import { batch, effect, signal } from "@preact/signals";
import { ApiError, followEndpoint, isAborted, messageOf } from "../api/client.ts";
import { passingCodes, passingStatuses, readMessages } from "../lib/event-stream.ts";
import type { Row } from "../lib/values.ts";
import { callParameters, query, selectedIndex } from "./explore.ts";
import { replaceRows, rows } from "./row-pages.ts";
import { say } from "./toasts.ts";

/** Off, following, or holding back what comes so that the rows stand still. */
export const live = signal<"off" | "on" | "paused">("off");
/** Rows that came while it was paused. */
export const heldCount = signal(0);
/** Rows that were left out, as the service said. */
export const skippedCount = signal(0);

/** Rows that are kept while following. */
const keptRows = 5_000;
const retryMs = 1_500;
/** Rows are drawn this often at most. */
const drawMs = 200;

let controller: AbortController | undefined;
let held: Row[] = [];

/** Follows the query until it changes, or somebody stops it. */
export function startLive(): void {
  stopLive();
  controller = new AbortController();
  batch(() => {
    live.value = "on";
    skippedCount.value = 0;
  });
  void follow(controller.signal);
  const asked = query.value;
  const dispose = effect(() => {
    // Another query is another tail.
    if (query.value.text !== asked.text || query.value.scope !== asked.scope || query.value.table !== asked.table)
      stopLive();
  });
  controller.signal.addEventListener("abort", () => queueMicrotask(dispose));
}

export function stopLive(): void {
  controller?.abort();
  controller = undefined;
  held = [];
  batch(() => {
    live.value = "off";
    heldCount.value = 0;
  });
}

export function pauseLive(): void {
  live.value = "paused";
}

/** Shows what was held back, and goes on. */
export function resumeLive(): void {
  live.value = "on";
  show();
}

async function follow(signal: AbortSignal): Promise<void> {
  let lastId: string | undefined;
  const beganMs = performance.now();
  const timer = setInterval(() => {
    if (live.value === "on") show();
  }, drawMs);
  signal.addEventListener("abort", () => clearInterval(timer));
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    try {
      const { iso_timestamp_start: _, iso_timestamp_end: __, ...asked } = callParameters();
      const headers = lastId === undefined ? {} : { "last-event-id": lastId };
      // Where the first connection broke before it began, nothing says where to go on.
      const since = `${Math.ceil((performance.now() - beganMs) / 1_000)}s`;
      const parameters = isFirst || lastId !== undefined ? asked : { ...asked, since };
      const response = await followEndpoint(query.value.scope, parameters, signal, headers);
      if (response.body === null) throw new TypeError("The answer has no body");
      for await (const message of readMessages(response.body)) {
        lastId = message.id ?? lastId;
        if (message.event === "message") {
          held.push(JSON.parse(message.data) as Row);
          if (held.length > keptRows) held.shift();
          if (live.value === "paused") heldCount.value++;
        } else if (message.event === "skipped") noteSkipped(message.data);
        else if (message.event === "end") {
          const { code, message: reason } = JSON.parse(message.data) as {
            readonly code: string;
            readonly message: string;
          };
          if (!passingCodes.has(code)) throw new Error(reason);
        }
      }
    } catch (error) {
      if (isAborted(error) || signal.aborted) return;
      // A service that is gone for a moment comes back; what it refuses itself ends it.
      const isPassing = error instanceof ApiError ? passingStatuses.has(error.status) : error instanceof TypeError;
      if (!isPassing) {
        say(messageOf(error));
        stopLive();
        return;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}

function noteSkipped(data: string): void {
  const { count } = JSON.parse(data) as { readonly count: number | null };
  skippedCount.value += count ?? 1;
}

function show(): void {
  if (held.length === 0) return;
  const fresh = held.reverse();
  held = [];
  batch(() => {
    heldCount.value = 0;
    replaceRows([...fresh, ...rows.value].slice(0, keptRows));
    if (selectedIndex.value !== undefined) selectedIndex.value += fresh.length;
  });
}
