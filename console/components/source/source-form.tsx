import { callApi } from "../../api/client.ts";
import { type SourceDraft, toSourceChange } from "../../lib/source-draft.ts";
import { useForm } from "../../lib/use-form.ts";
import { refreshSession } from "../../state/session.ts";
import { Form, TextField } from "../fields.tsx";

interface SourceFormProps {
  readonly draft: SourceDraft;
  readonly isNew: boolean;
  readonly onSaved: (name: string) => void;
}

/** The fields of a source. Its name is its table's, and is chosen once. */
export function SourceForm({ draft: first, isNew, onSaved }: SourceFormProps) {
  const { draft, bind, error, submit } = useForm(first, async () => {
    const body = toSourceChange(draft);
    const { name } = isNew
      ? await callApi("createSource", { body: { name: draft.name.trim(), ...body } })
      : await callApi("changeSource", { path: { source: draft.name }, body });
    void refreshSession();
    onSaved(name);
  });
  return (
    <Form onSubmit={submit} error={error} action={isNew ? "Create source" : "Save"}>
      {isNew && <TextField label="Name (senders and queries use it, such as checkout)" isRequired {...bind("name")} />}
      <TextField label="Description (optional)" {...bind("description")} />
      <TextField
        label="Field that identifies the tenant (empty for a source without tenants)"
        placeholder="project"
        {...bind("tenant")}
      />
      <TextField label="Days that events are kept (empty for forever)" placeholder="30" {...bind("days")} />
      {draft.tenant.trim() !== "" && (
        <TextField
          label="Tenants that differ in this (optional, one a line)"
          lines={2}
          placeholder="acme: 7"
          {...bind("tenantDays")}
        />
      )}
      <TextField label="Further names (optional, with commas between)" {...bind("aliases")} />
      <TextField
        label="Types of fields (optional, one a line; others are found in the events)"
        lines={3}
        placeholder="metadata.response.status_code INT64"
        {...bind("fields")}
      />
    </Form>
  );
}
