import { callApi } from "../../api/client.ts";
import {
  type BackendDraft,
  type BackendType,
  backendFields,
  backendTypes,
  type ConfigField,
  toBackendDocument,
} from "../../lib/backend-draft.ts";
import { useForm } from "../../lib/use-form.ts";
import { CheckField, Form, SelectField, TextField } from "../fields.tsx";

interface DrainFormProps {
  readonly draft: BackendDraft;
  /** The destination that is changed; a new one unless given. */
  readonly id?: string;
  readonly onSaved: (id: string) => void;
}

/** The fields of a drain's destination, as its type has them. A mask left as it is keeps the stored secret. */
export function DrainForm({ draft: first, id, onSaved }: DrainFormProps) {
  const { draft, set, error, submit } = useForm(first, async () => {
    const body = toBackendDocument(draft);
    const saved =
      id === undefined
        ? await callApi("createBackend", { body })
        : await callApi("replaceBackend", { path: { id }, body });
    onSaved(saved.id);
  });
  return (
    <Form onSubmit={submit} error={error} action={id === undefined ? "Create drain" : "Save"}>
      <TextField label="Name" isRequired value={draft.name} onInput={(name) => set({ name })} />
      <SelectField
        label="Type"
        value={draft.type}
        options={backendTypes}
        onChange={(type) => set({ type: type as BackendType })}
      />
      <ConfigFields draft={draft} set={set} />
      <TextField
        label="Headers (optional, one a line)"
        lines={2}
        placeholder="Authorization: Bearer abc"
        value={draft.headers}
        onInput={(headers) => set({ headers })}
      />
      <CheckField
        label="Compressed with gzip"
        isChecked={draft.isCompressed}
        onChange={(isCompressed) => set({ isCompressed })}
      />
    </Form>
  );
}

interface ConfigFieldsProps {
  readonly draft: BackendDraft;
  readonly set: (part: Partial<BackendDraft>) => void;
}

function ConfigFields({ draft: { type, config }, set }: ConfigFieldsProps) {
  const fields: readonly ConfigField[] = backendFields[type];
  return (
    <>
      {fields.map(({ name, label, isSecret = false }) => (
        <TextField
          key={name}
          label={label}
          isRequired={name === "url"}
          isSecret={isSecret}
          value={config[name] ?? ""}
          onInput={(text) => set({ config: { ...config, [name]: text } })}
        />
      ))}
    </>
  );
}
