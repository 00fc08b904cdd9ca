import { useState } from "preact/hooks";
import { callApi } from "../../api/client.ts";
import type { Endpoint } from "../../api/operations.ts";
import { changedLines } from "../../lib/changed-lines.ts";
import { useAction } from "../../lib/use-form.ts";
import { say } from "../../state/toasts.ts";
import { Button } from "../button.tsx";
import { Card } from "../layout.tsx";
import { ErrorNotice } from "../notices.tsx";
import { QueryEditor } from "../query-editor.tsx";
import { DiffView } from "./diff-view.tsx";

/** The endpoint's query: changed in the editor, compared with what is in force, and saved as a version. */
export function EndpointQuery({ endpoint, onSaved }: { readonly endpoint: Endpoint; readonly onSaved: () => void }) {
  const [text, setText] = useState(endpoint.query);
  const [isComparing, setComparing] = useState(false);
  const [problems, setProblems] = useState<readonly string[]>([]);
  const isFile = endpoint.origin === "file";
  const isChanged = text !== endpoint.query;
  const { error, run: save } = useAction(async () => {
    if (!isChanged || isFile) return;
    await callApi("changeEndpoint", { path: { endpoint: endpoint.id }, body: { query: text } });
    setComparing(false);
    say("Saved as a new version");
    onSaved();
  });
  return (
    <Card
      label="Query"
      head={
        isFile ? (
          <span class="faint">Defined in {endpoint.file?.split("/").at(-1)}; edit that file to change it</span>
        ) : (
          <QueryActions
            isChanged={isChanged}
            isComparing={isComparing && isChanged}
            onCompare={() => setComparing(!isComparing)}
            onDiscard={() => setText(endpoint.query)}
            onSave={() => void save()}
          />
        )
      }
    >
      {error !== undefined && <ErrorNotice error={error} />}
      <div class="query-text">
        <QueryEditor
          language="sql"
          scope="all"
          isReadOnly={isFile}
          text={text}
          label="The endpoint's query"
          onChange={setText}
          onRun={() => void save()}
          onProblems={setProblems}
        />
      </div>
      {isChanged &&
        problems.map((problem) => (
          <div key={problem} class="notice danger plain-text">
            {problem}
          </div>
        ))}
      {isComparing && isChanged && <DiffView lines={changedLines(endpoint.query, text)} />}
    </Card>
  );
}

interface QueryActionsProps {
  readonly isChanged: boolean;
  readonly isComparing: boolean;
  readonly onCompare: () => void;
  readonly onDiscard: () => void;
  readonly onSave: () => void;
}

function QueryActions({ isChanged, isComparing, onCompare, onDiscard, onSave }: QueryActionsProps) {
  return (
    <>
      <Button class="small" text="Compare" disabled={!isChanged} aria-pressed={isComparing} onClick={onCompare} />
      <Button class="small" text="Discard" disabled={!isChanged} onClick={onDiscard} />
      <Button class="primary small" text="Save as a version" disabled={!isChanged} onClick={onSave} />
    </>
  );
}
