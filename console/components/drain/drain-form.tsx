import { useState } from "preact/hooks";
import { callApi } from "../../api/client.ts";
import {
  type BackendDraft,
  type BackendType,
  backendFields,
  backendTypes,
  type ConfigField,
  toBackendDocument,
} from "../../lib/backend-draft.ts";
import { CheckField, Form, SelectField, TextField } from "../fields.tsx";
import { Problems } from "../notices.tsx";

interface DrainFormProps {
  readonly draft: BackendDraft;
  /** The destination that is changed; a new one unless given. */
  readonly id?: string;
  readonly onSaved: (id: string) => void;
}

/** The fields of a drain's destination, as its type has them. A mask left as it is keeps the stored secret. */
export function DrainForm({ draft: first, id, onSaved }: DrainFormProps) {
  const [draft, setDraft] = useState(first);
  const [error, setError] = useState<unknown>(undefined);
  const set = (part: Partial<BackendDraft>) => setDraft({ ...draft, ...part });
  const save = async () => {
    try {
      const body = toBackendDocument(draft);
      const saved =
        id === undefined
          ? await callApi("createBackend", { body })
          : await callApi("replaceBackend", { path: { id }, body });
      onSaved(saved.id);
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <Form onSubmit={save}>
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
      {error !== undefined && <Problems error={error} />}
      <button type="submit" class="button primary">
        {id === undefined ? "Create drain" : "Save"}
      </button>
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
