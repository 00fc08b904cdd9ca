import type { ComponentChildren } from "preact";
import { ApiError, messageOf } from "../api/client.ts";
import { showControls } from "../lib/values.ts";
import { Icon } from "./icon.tsx";

/** What went wrong, where, and what to do. */
export function ErrorNotice({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const known = error instanceof ApiError ? error : undefined;
  return (
    <div class="notice danger" role="alert">
      <Icon name="warning" />
      <div class="grow">
        <strong>{showControls(messageOf(error))}</strong>
        {known?.line !== undefined && (
          <span>
            {" "}
            (line {known.line}, column {known.column})
          </span>
        )}
        {known?.hint !== undefined && <pre>{showControls(known.hint)}</pre>}
      </div>
      {onRetry !== undefined && (
        <button type="button" class="button small" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** A sign of work, told to screen readers too. */
export function Spinner({ label = "Loading" }: { readonly label?: string }) {
  return (
    <span class="row" role="status">
      <span class="spinner" />
      <span class="visually-hidden">{label}</span>
    </span>
  );
}
