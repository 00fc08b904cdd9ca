import { useState } from "preact/hooks";
import { callApi } from "../../api/client.ts";
import type { Endpoint } from "../../api/operations.generated.ts";
import { readEndpointSettings, toEndpointChange } from "../../lib/endpoint-settings.ts";
import { formatCount, showControls } from "../../lib/values.ts";
import { navigate } from "../../state/route.ts";
import { refreshSession } from "../../state/session.ts";
import { EditAndDelete } from "../confirm.tsx";
import { CheckField, Form, TextField } from "../fields.tsx";
import { Problems } from "../notices.tsx";

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
    <section class="card" aria-label="Settings">
      <div class="card-head">
        <h2>Settings</h2>
      </div>
      <dl class="card-body keys">
        {rows.map(([label, value]) => (
          <div key={label} style={{ display: "contents" }}>
            <dt class="soft">{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
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
      consequence={`Callers of “${showControls(endpoint.name)}” are answered 404. Its versions stay under its id.`}
      remove={() => callApi("deleteEndpoint", { path })}
      onRemoved={() => {
        void refreshSession();
        navigate("endpoints");
      }}
    />
  );
}

function SettingsForm({ endpoint, onSaved }: EndpointProps) {
  const [settings, setSettings] = useState(() => readEndpointSettings(endpoint));
  const [error, setError] = useState<unknown>(undefined);
  const set = (part: Partial<typeof settings>) => setSettings({ ...settings, ...part });
  const save = async () => {
    try {
      await callApi("changeEndpoint", { path: { endpoint: endpoint.id }, body: toEndpointChange(settings, endpoint) });
      void refreshSession();
      onSaved();
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <Form onSubmit={save}>
      <TextField
        label="Description (optional)"
        value={settings.description}
        onInput={(description) => set({ description })}
      />
      <TextField label="Max rows" isCount value={settings.maxRows} onInput={(maxRows) => set({ maxRows })} />
      <TextField
        label="Seconds that answers are cached (empty for none)"
        isCount
        value={settings.cacheSeconds}
        onInput={(cacheSeconds) => set({ cacheSeconds })}
      />
      <TextField
        label="Parameters (a JSON object: type, required, default, allowed, description of each)"
        lines={6}
        placeholder='{"project": {"type": "string", "required": true}}'
        value={settings.parameters}
        onInput={(parameters) => set({ parameters })}
      />
      <CheckField
        label="Callers may send queries of their own over the tables of its WITH clause"
        isChecked={settings.isSandboxed}
        onChange={(isSandboxed) => set({ isSandboxed })}
      />
      <CheckField
        label="Personal data is always redacted"
        isChecked={settings.isRedacted}
        onChange={(isRedacted) => set({ isRedacted })}
      />
      {error !== undefined && <Problems error={error} />}
      <button type="submit" class="button primary">
        Save
      </button>
    </Form>
  );
}
