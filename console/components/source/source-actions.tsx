import { callApi } from "../../api/client.ts";
import type { Answers } from "../../api/operations.generated.ts";
import { readSourceDraft } from "../../lib/source-draft.ts";
import { navigate } from "../../state/route.ts";
import { refreshSession } from "../../state/session.ts";
import { EditAndDelete } from "../confirm.tsx";
import { SourceForm } from "./source-form.tsx";

interface SourceActionsProps {
  readonly source: Answers["getSource"];
  readonly onChanged: () => void;
}

/** Edits and deletes a source; one of a file, or of the service, is only shown. */
export function SourceActions({ source, onChanged }: SourceActionsProps) {
  const { name } = source;
  if (source.read_only) return <span class="badge">file or built in</span>;
  return (
    <EditAndDelete
      kind="source"
      form={(onSaved) => <SourceForm isNew={false} draft={readSourceDraft(source)} onSaved={onSaved} />}
      onSaved={onChanged}
      consequence={`${name} is deleted with all of its events.`}
      remove={() => callApi("deleteSource", { path: { source: name } })}
      onRemoved={() => {
        void refreshSession();
        navigate("sources");
      }}
    />
  );
}
