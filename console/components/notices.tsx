import type { ComponentChildren } from "preact";
import { ApiError, messageOf } from "../api/client.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

interface ErrorNoticeProps {
  readonly error: unknown;
  /** Text that the page added to the input: removed where the error quotes it. */
  readonly addedText?: string;
  readonly onRetry?: () => void;
}

/** Shows an error: the problem, its position, and advice. */
export function ErrorNotice({ error, addedText = "", onRetry }: ErrorNoticeProps) {
  const known = error instanceof ApiError ? error : undefined;
  return (
    <div class="notice danger" role="alert">
      <Icon name="warning" />
      <div class="grow">
        <strong>{messageOf(error)}</strong>
        {known?.line !== undefined && (
          <span>
            {" "}
            (line {known.line}, column {known.column})
          </span>
        )}
        {known?.hint !== undefined && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
          <pre tabIndex={0}>{known.hint.replace(addedText, "")}</pre>
        )}
      </div>
      {onRetry !== undefined && <Button class="small" text="Try again" onClick={onRetry} />}
    </div>
  );
}

/** Shows the error of a document that could not be saved, with all the fields that are wrong. */
export function Problems({ error }: { readonly error: unknown }) {
  const fields = error instanceof ApiError ? Object.entries(error.fields ?? {}) : [];
  // The error shows the first.
  const others = fields.length > 1 ? fields : [];
  return (
    <>
      <ErrorNotice error={error} />
      {others.map(([field, problems]) => (
        <div key={field} class="notice danger plain-text">
          {`${field}: ${problems.join("; ")}`}
        </div>
      ))}
    </>
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

/** A sign of work, announced to screen readers too. */
export function Spinner({ label = "Loading" }: { readonly label?: string }) {
  return (
    <span class="row" role="status">
      <span class="spinner" />
      <span class="visually-hidden">{label}</span>
    </span>
  );
}
