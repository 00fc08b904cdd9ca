import { useState } from "preact/hooks";
import { Dialog } from "./dialog.tsx";
import { ErrorNotice } from "./notices.tsx";

interface ConfirmProps {
  readonly title: string;
  /** The consequence, for people. */
  readonly text: string;
  /** Words of the button. */
  readonly action: string;
  readonly act: () => Promise<unknown>;
  /** Is told of the end: done, or given up. */
  readonly onClose: (isDone: boolean) => void;
}

/** Asks before what cannot be undone, and shows why it failed. */
export function Confirm({ title, text, action, act, onClose }: ConfirmProps) {
  const [error, setError] = useState<unknown>(undefined);
  const run = () => void act().then(() => onClose(true), setError);
  return (
    <Dialog title={title} onClose={() => onClose(false)}>
      <div class="stack">
        {error !== undefined && <ErrorNotice error={error} />}
        <p>{text}</p>
        <button type="button" class="button danger" onClick={run}>
          {action}
        </button>
      </div>
    </Dialog>
  );
}
