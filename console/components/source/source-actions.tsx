import { useState } from "preact/hooks";
import { callApi } from "../../api/client.ts";
import type { Answers } from "../../api/operations.generated.ts";
import { readSourceDraft } from "../../lib/source-draft.ts";
import { navigate } from "../../state/route.ts";
import { refreshSession } from "../../state/session.ts";
import { say } from "../../state/toasts.ts";
import { Confirm } from "../confirm.tsx";
import { Dialog } from "../dialog.tsx";
import { SourceForm } from "./source-form.tsx";

interface SourceActionsProps {
  readonly source: Answers["getSource"];
  readonly onChanged: () => void;
}

/** Edits and deletes a source; one of a file, or of the service, is only shown. */
export function SourceActions({ source, onChanged }: SourceActionsProps) {
  const [asked, setAsked] = useState<"edit" | "delete" | undefined>();
  const { name } = source;
  if (source.read_only) return <span class="badge">file or built in</span>;
  return (
    <>
      <button type="button" class="button" onClick={() => setAsked("edit")}>
        Edit
      </button>
      <button type="button" class="button danger" onClick={() => setAsked("delete")}>
        Delete
      </button>
      {asked === "edit" && (
        <Dialog title="Edit the source" onClose={() => setAsked(undefined)}>
          <SourceForm
            isNew={false}
            draft={readSourceDraft(source)}
            onSaved={() => {
              say("Saved");
              setAsked(undefined);
              onChanged();
            }}
          />
        </Dialog>
      )}
      {asked === "delete" && (
        <Confirm
          title="Delete the source"
          text={`${name} is deleted with all of its events.`}
          action="Delete"
          act={() => callApi("deleteSource", { path: { source: name } })}
          onClose={(isDone) => {
            setAsked(undefined);
            if (!isDone) return;
            void refreshSession();
            navigate("sources");
          }}
        />
      )}
    </>
  );
}
