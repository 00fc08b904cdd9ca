import { useEffect, useState } from "preact/hooks";
import { isAborted } from "../api/client.ts";
import { returns } from "../state/connection.ts";

/**
 * The data that a page loads when it is shown, and again when `keys` change; the answer of an earlier call never
 * replaces that of a later one.
 */
export interface Load<Value> {
  readonly value: Value | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/** `read` is given up when the page is left. */
export function useLoad<Value>(read: (signal: AbortSignal) => Promise<Value>, keys: readonly unknown[]): Load<Value> {
  const [state, setState] = useState<{ value?: Value; error?: unknown; isLoading: boolean }>({ isLoading: true });
  const [count, setCount] = useState(0);
  const hasFailed = state.error !== undefined;
  useEffect(() => {
    const controller = new AbortController();
    setState((last) => ({ ...last, isLoading: true }));
    read(controller.signal).then(
      (value) => setState({ value, isLoading: false }),
      (error: unknown) => {
        if (!isAborted(error)) setState({ error, isLoading: false });
      },
    );
    return () => controller.abort();
  }, [...keys, count]);
  useEffect(() => {
    // What failed since the service was gone is asked for once it is back.
    const known = returns.peek();
    return hasFailed ? returns.subscribe((now) => now > known && setCount((last) => last + 1)) : undefined;
  }, [hasFailed]);
  return {
    value: state.value,
    error: state.error,
    isLoading: state.isLoading,
    reload: () => setCount((last) => last + 1),
  };
}
