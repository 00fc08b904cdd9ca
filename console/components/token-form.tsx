import { callApi } from "../api/client.ts";
import { parsePin } from "../lib/pins.ts";
import { useForm } from "../lib/use-form.ts";
import { session } from "../state/session.ts";
import { Form, SelectField, TextField } from "./fields.tsx";

const empty = { description: "", scope: "query", project: "", expires: "30d", rows: "" };
type Values = typeof empty;

/** Calls for queries can be bound to a project. */
const canPin = ({ scope }: Values) => scope.startsWith("query");

/** Makes a token; its value goes to `onMade`, and is shown nowhere else. */
export function TokenForm({ onMade }: { readonly onMade: (secret: string) => void }) {
  const { draft, bind, error, submit } = useForm(empty, async (draft) => {
    onMade((await callApi("createAccessToken", { body: toBody(draft) })).token);
  });
  return (
    <Form onSubmit={submit} error={error} action="Create token">
      <TextField label="Description" {...bind("description")} />
      <SelectField label="Scope" options={scopesToGive()} {...bind("scope")} />
      {canPin(draft) && (
        <TextField
          label="Project (optional; pins the parameter project: one, several as a, b, or acme-* for a prefix)"
          {...bind("project")}
        />
      )}
      <TextField label="Expires after (such as 30d; empty for never)" {...bind("expires")} />
      <TextField label="Max rows per answer (empty for the endpoint's own limit)" isCount {...bind("rows")} />
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

/** Scopes that a token of the session may have. */
function scopesToGive(): readonly string[] {
  const signedIn = session.value;
  return [
    "private",
    "query",
    ...(signedIn?.endpoints ?? []).map(({ name }) => `query:endpoint:${name}`),
    "ingest",
    ...(signedIn?.ingest_sources ?? []).map((name) => `ingest:source:${name}`),
    "metrics",
  ];
}
