import { signal } from "@preact/signals";
import { messageOf } from "../api/client.ts";

export interface Toast {
  readonly id: number;
  readonly text: string;
}

export const toasts = signal<readonly Toast[]>([]);
const shownMs = 3_000;
const counter = { last: 0 };

/** Says something for a moment. */
export function say(text: string): void {
  const id = ++counter.last;
  toasts.value = [...toasts.value, { id, text }];
  setTimeout(() => {
    toasts.value = toasts.value.filter((each) => each.id !== id);
  }, shownMs);
}

/** Does something, and says why where that failed. */
export async function attempt(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    say(messageOf(error));
  }
}

/** Copies a text, and says so. */
export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(`Copied ${what}`);
  } catch {
    say("This browser does not let the page copy");
  }
}
