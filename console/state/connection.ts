import { effect, signal } from "@preact/signals";

/** True while the service does not answer. */
export const isServiceGone = signal(false);
/** How often it came back: what could not be loaded meanwhile is asked for again. */
export const returns = signal(0);

/** How often the service is looked for: while the page is in view, and while it is gone. */
const watchMs = 10_000;
const retryMs = 1_000;
const patienceMs = 5_000;

/** Statuses by which a proxy says that nobody is behind it. */
const gatewayStatuses: ReadonlySet<number> = new Set([502, 503, 504]);

/** `fetch`, which notes whether somebody answered. Throws `TypeError` where nobody does. */
export async function watchedFetch(address: string, options: RequestInit): Promise<Response> {
  try {
    const response = await fetch(address, options);
    noteAnswer(!isFromGateway(response));
    return response;
  } catch (error) {
    if (error instanceof TypeError) noteAnswer(false);
    throw error;
  }
}

/** Every answer of the service's own names the request. */
function isFromGateway(response: Response): boolean {
  return gatewayStatuses.has(response.status) && !response.headers.has("x-request-id");
}

function noteAnswer(isThere: boolean): void {
  if (isThere && isServiceGone.peek()) returns.value++;
  isServiceGone.value = !isThere;
}

/** Looks for the service from now on: seldom while it is there, often while it is gone. `address` is of its health. */
export function watchConnection(address: string): void {
  const look = async () => {
    if (document.visibilityState === "hidden") return;
    const signal = AbortSignal.timeout(patienceMs);
    try {
      const response = await watchedFetch(address, { cache: "no-store", credentials: "same-origin", signal });
      // To its end, so that the connection is free.
      await response.text();
    } catch (error) {
      if (error instanceof DOMException) noteAnswer(false);
    }
  };
  effect(() => {
    const timer = setInterval(() => void look(), isServiceGone.value ? retryMs : watchMs);
    return () => clearInterval(timer);
  });
  window.addEventListener("offline", () => void look());
  window.addEventListener("online", () => void look());
}
