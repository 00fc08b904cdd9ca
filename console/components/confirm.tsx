import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useAction } from "../lib/use-form.ts";
import { say } from "../state/toasts.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { ErrorNotice } from "./notices.tsx";

interface ConfirmProps {
  readonly title: string;
  /** The consequence, for people. */
  readonly text: string;
  /** Words of the button. */
  readonly action: string;
  /** True where it takes nothing away. */
  readonly isHarmless?: boolean;
  readonly act: () => Promise<unknown>;
  /** Called with the end: done, or given up. */
  readonly onClose: (isDone: boolean) => void;
}

/** Asks before what cannot be undone, and shows why it failed. */
export function Confirm({ title, text, action, isHarmless = false, act, onClose }: ConfirmProps) {
  const { error, run } = useAction(() => act().then(() => onClose(true)));
  return (
    <Dialog title={title} onClose={() => onClose(false)}>
      <div class="stack">
        {error !== undefined && <ErrorNotice error={error} />}
        <p>{text}</p>
        <button type="button" class={isHarmless ? "button primary" : "button danger"} onClick={() => void run()}>
          {action}
        </button>
      </div>
    </Dialog>
  );
}

interface EditAndDeleteProps {
  /** Its kind in the titles, such as `source`. */
  readonly kind: string;
  /** The form, which calls back once it has saved. */
  readonly form: (onSaved: () => void) => ComponentChildren;
  readonly onSaved: () => void;
  /** The consequence of a deletion, for people. */
  readonly consequence: string;
  readonly remove: () => Promise<unknown>;
  readonly onRemoved: () => void;
}

/** Buttons to edit a thing in a dialog, and to delete it after a question. */
export function EditAndDelete({ kind, form, onSaved, consequence, remove, onRemoved }: EditAndDeleteProps) {
  const [asked, setAsked] = useState<"edit" | "delete" | undefined>();
  const close = () => setAsked(undefined);
  const saved = () => {
    say("Saved");
    close();
    onSaved();
  };
  return (
    <>
      <Button text="Edit" onClick={() => setAsked("edit")} />
      <Button class="danger" text="Delete" onClick={() => setAsked("delete")} />
      {asked === "edit" && (
        <Dialog title={`Edit the ${kind}`} onClose={close}>
          {form(saved)}
        </Dialog>
      )}
      {asked === "delete" && (
        <Confirm
          title={`Delete the ${kind}`}
          text={consequence}
          action="Delete"
          act={remove}
          onClose={(isDone) => (isDone ? onRemoved() : close())}
        />
      )}
    </>
  );
}
