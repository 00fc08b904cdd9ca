import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { IconButton } from "./button.tsx";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A modal window of the browser's own: it holds the focus, and Escape closes it. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => element.current?.showModal(), []);
  return (
    <dialog class="dialog" ref={element} onClose={onClose} aria-label={title}>
      <header>
        <h2>{title}</h2>
        <IconButton class="plain" icon="close" label="Close" onClick={() => element.current?.close()} />
      </header>
      <div>{children}</div>
    </dialog>
  );
}
