import { useState } from "preact/hooks";
import { callApi } from "../api/client.ts";
import { parsePin } from "../lib/pins.ts";
import { session } from "../state/session.ts";
import { Form, SelectField, TextField } from "./fields.tsx";
import { ErrorNotice } from "./notices.tsx";

const empty = { description: "", scope: "query", project: "", expires: "30d", rows: "" };
type Values = typeof empty;

/** Calls for queries can be bound to a project. */
const canPin = ({ scope }: Values) => scope.startsWith("query");

/** Makes a token; its value goes to `onMade`, and is shown nowhere else. */
export function TokenForm({ onMade }: { readonly onMade: (secret: string) => void }) {
  const [values, setValues] = useState(empty);
  const [error, setError] = useState<unknown>(undefined);
  const set = (part: Partial<Values>) => setValues({ ...values, ...part });
  const make = async () => {
    try {
      const { token } = await callApi("createAccessToken", { body: toBody(values) });
      onMade(token);
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <Form onSubmit={make}>
      {error !== undefined && <ErrorNotice error={error} />}
      <TextField label="Description" value={values.description} onInput={(description) => set({ description })} />
      <ScopeField value={values.scope} onChange={(scope) => set({ scope })} />
      {canPin(values) && (
        <TextField
          label="Project (optional; pins the parameter project: one, several as a, b, or acme-* for a prefix)"
          value={values.project}
          onInput={(project) => set({ project })}
        />
      )}
      <TextField
        label="Expires after (such as 30d; empty for never)"
        value={values.expires}
        onInput={(expires) => set({ expires })}
      />
      <TextField
        label="Max rows per answer (empty for the endpoint's own limit)"
        isCount
        value={values.rows}
        onInput={(rows) => set({ rows })}
      />
      <button type="submit" class="button primary">
        Create token
      </button>
    </Form>
  );
}

function toBody(values: Values) {
  const project = canPin(values) ? parsePin(values.project) : undefined;
  return {
    description: values.description,
    scopes: [values.scope],
    ...(project === undefined ? {} : { pins: { project } }),
    ...(values.expires === "" ? {} : { expires: values.expires }),
    ...(values.rows === "" ? {} : { budget: { max_rows: Number(values.rows) } }),
  };
}

function ScopeField({ value, onChange }: { readonly value: string; readonly onChange: (scope: string) => void }) {
  const signedIn = session.value;
  const scopes = [
    "private",
    "query",
    ...(signedIn?.endpoints ?? []).map(({ name }) => `query:endpoint:${name}`),
    "ingest",
    ...(signedIn?.ingest_sources ?? []).map((name) => `ingest:source:${name}`),
    "metrics",
  ];
  return <SelectField label="Scope" value={value} options={scopes} onChange={onChange} />;
}
