import { callApi } from "../../api/client.ts";
import {
  type BackendDraft,
  backendFields,
  backendTypes,
  type ConfigField,
  toBackendDocument,
} from "../../lib/backend-draft.ts";
import { type Fields, useForm } from "../../lib/use-form.ts";
import { CheckField, Form, SelectField, TextField } from "../fields.tsx";

interface DrainFormProps {
  readonly draft: BackendDraft;
  /** The destination that is changed; a new one unless given. */
  readonly id?: string;
  readonly onSaved: (id: string) => void;
}

/** The fields of a drain's destination, as its type has them. A mask left as it is keeps the stored secret. */
export function DrainForm({ draft: first, id, onSaved }: DrainFormProps) {
  const { fields, bind, error, submit } = useForm(first, async (draft) => {
    const body = toBackendDocument(draft);
    const saved =
      id === undefined
        ? await callApi("createBackend", { body })
        : await callApi("replaceBackend", { path: { id }, body });
    onSaved(saved.id);
  });
  return (
    <Form onSubmit={submit} error={error} action={id === undefined ? "Create drain" : "Save"}>
      <TextField label="Name" isRequired {...bind("name")} />
      <SelectField label="Type" options={backendTypes} {...bind("type")} />
      <ConfigFields {...fields} />
      <TextField
        label="Headers (optional, one a line)"
        lines={2}
        placeholder="Authorization: Bearer abc"
        {...bind("headers")}
      />
      <CheckField label="Compressed with gzip" {...bind("isCompressed")} />
    </Form>
  );
}

function ConfigFields({ draft: { type, config }, set }: Fields<BackendDraft>) {
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
          onChange={(text) => set({ config: { ...config, [name]: text } })}
        />
      ))}
    </>
  );
}
