import { createPassingMap } from "./passing-map.ts";

/** Work that several callers wait for. */
interface Flight<T> {
  readonly result: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
}

export interface Flights<T> {
  /**
   * Joins the work of this key, or starts it. Resolves with its result or throws its error. A caller whose signal is
   * aborted leaves with the signal's reason without affecting the others; when the last one leaves, the work is
   * aborted.
   */
  join(key: string, work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** Runs work once for all callers that request the same thing concurrently. */
export function createFlights<T>(): Flights<T> {
  const flights = createPassingMap<string, Flight<T>>();

  const start = (key: string, work: (signal: AbortSignal) => Promise<T>): Flight<T> => {
    const controller = new AbortController();
    const flight: Flight<T> = {
      controller,
      waiting: 0,
      result: work(controller.signal).finally(() => {
        if (flights.get(key) === flight) flights.delete(key);
      }),
    };
    flights.set(key, flight);
    return flight;
  };

  return {
    async join(key, work, signal) {
      signal.throwIfAborted();
      const flight = flights.get(key) ?? start(key, work);
      flight.waiting++;
      let leave = (): void => undefined;
      const left = new Promise<never>((_, reject) => {
        leave = () => reject(signal.reason);
      });
      signal.addEventListener("abort", leave, { once: true });
      try {
        return await Promise.race([flight.result, left]);
      } finally {
        signal.removeEventListener("abort", leave);
        flight.waiting--;
        if (flight.waiting === 0 && flights.get(key) === flight) {
          // No caller may join work that is being aborted.
          flights.delete(key);
          flight.controller.abort(signal.reason);
          flight.result.catch(() => undefined);
        }
      }
    },
  };
}
