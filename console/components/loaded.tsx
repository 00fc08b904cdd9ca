import type { ComponentChildren } from "preact";
import type { Load } from "../lib/use-load.ts";
import { ErrorNotice, Spinner } from "./notices.tsx";

interface LoadedProps<Value> {
  readonly load: Load<Value>;
  readonly children: (value: Value) => ComponentChildren;
}

/** Shows a loaded value, or the error if there is none. */
export function Loaded<Value>({ load, children }: LoadedProps<Value>) {
  if (load.error !== undefined) return <ErrorNotice error={load.error} onRetry={load.reload} />;
  if (load.value === undefined) return <Spinner />;
  return <>{children(load.value)}</>;
}
