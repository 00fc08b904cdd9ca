import { callApi } from "../../api/client.ts";
import type { Endpoint } from "../../api/operations.ts";
import { readEndpointSettings, toEndpointChange } from "../../lib/endpoint-settings.ts";
import { useForm } from "../../lib/use-form.ts";
import { formatCount } from "../../lib/values.ts";
import { navigate } from "../../state/route.ts";
import { refreshSession } from "../../state/session.ts";
import { EditAndDelete } from "../confirm.tsx";
import { CheckField, Form, TextField } from "../fields.tsx";
import { Card, FactList } from "../layout.tsx";

interface EndpointProps {
  readonly endpoint: Endpoint;
  readonly onSaved: () => void;
}

/** The settings of an endpoint, which are read here. */
export function EndpointSettings({ endpoint }: Pick<EndpointProps, "endpoint">) {
  const rows: readonly (readonly [string, string])[] = [
    ["Max rows", formatCount(endpoint.max_rows)],
    ["Cache", endpoint.cache_seconds === 0 ? "off" : `${endpoint.cache_seconds} s`],
    ["Consumer queries", endpoint.sandbox ? "allowed, over its tables" : "not allowed"],
    ["Redaction", endpoint.redact_pii === false ? "on request" : "always"],
    ["Version", String(endpoint.version ?? 1)],
  ];
  return (
    <Card label="Settings">
      <FactList facts={rows} />
    </Card>
  );
}

/** Changes the settings of an endpoint that no file has, or removes it. */
export function EndpointActions({ endpoint, onSaved }: EndpointProps) {
  if (endpoint.origin === "file") return null;
  const path = { endpoint: endpoint.id };
  return (
    <EditAndDelete
      kind="endpoint"
      form={(saved) => <SettingsForm endpoint={endpoint} onSaved={saved} />}
      onSaved={onSaved}
      consequence={`Callers of “${endpoint.name}” are answered 404. Its versions stay under its id.`}
      remove={() => callApi("deleteEndpoint", { path })}
      onRemoved={() => {
        void refreshSession();
        navigate("endpoints");
      }}
    />
  );
}

function SettingsForm({ endpoint, onSaved }: EndpointProps) {
  const first = () => readEndpointSettings(endpoint);
  const { bind, error, submit } = useForm(first, async (draft) => {
    await callApi("changeEndpoint", { path: { endpoint: endpoint.id }, body: toEndpointChange(draft, endpoint) });
    void refreshSession();
    onSaved();
  });
  return (
    <Form onSubmit={submit} error={error} action="Save">
      <TextField label="Description (optional)" {...bind("description")} />
      <TextField label="Max rows" isCount {...bind("maxRows")} />
      <TextField label="Seconds that answers are cached (empty for none)" isCount {...bind("cacheSeconds")} />
      <TextField
        label="Parameters (a JSON object: type, required, default, allowed, description of each)"
        lines={6}
        placeholder='{"project": {"type": "string", "required": true}}'
        {...bind("parameters")}
      />
      <CheckField
        label="Callers may send queries of their own over the tables of its WITH clause"
        {...bind("isSandboxed")}
      />
      <CheckField label="Personal data is always redacted" {...bind("isRedacted")} />
    </Form>
  );
}
