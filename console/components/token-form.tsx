import { useState } from "preact/hooks";
import { callApi } from "../api/client.ts";
import { session } from "../state/session.ts";
import { ErrorNotice } from "./notices.tsx";

/** Makes a token; its value goes to `onMade`, and is shown nowhere else. */
export function TokenForm({ onMade }: { readonly onMade: (secret: string) => void }) {
  const [values, setValues] = useState({ description: "", scope: "query", project: "", expires: "30d", rows: "" });
  const [error, setError] = useState<unknown>(undefined);
  const signedIn = session.value;
  const scopes = [
    "private",
    "query",
    ...(signedIn?.endpoints ?? []).map(({ name }) => `query:endpoint:${name}`),
    "ingest",
    ...(signedIn?.ingest_sources ?? []).map((name) => `ingest:source:${name}`),
    "metrics",
  ];
  const set = (part: Partial<typeof values>) => setValues({ ...values, ...part });
  const canPin = values.scope.startsWith("query");
  const make = async () => {
    try {
      const made = await callApi("createAccessToken", {
        body: {
          description: values.description,
          scopes: [values.scope],
          ...(canPin && values.project !== "" ? { pins: { project: values.project } } : {}),
          ...(values.expires === "" ? {} : { expires: values.expires }),
          ...(values.rows === "" ? {} : { budget: { max_rows: Number(values.rows) } }),
        },
      });
      onMade(made.token);
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void make();
      }}
    >
      {error !== undefined && <ErrorNotice error={error} />}
      <label class="field">
        <span>What it is for</span>
        <input
          class="input"
          value={values.description}
          onInput={(event) => set({ description: event.currentTarget.value })}
        />
      </label>
      <label class="field" for="token-scope">
        <span>May</span>
        <select
          id="token-scope"
          class="select"
          value={values.scope}
          onChange={(event) => set({ scope: event.currentTarget.value })}
        >
          {scopes.map((scope) => (
            <option key={scope} value={scope}>
              {scope}
            </option>
          ))}
        </select>
      </label>
      {canPin && (
        <label class="field">
          <span>Only this project (pins the parameter project; empty: all)</span>
          <input
            class="input"
            value={values.project}
            onInput={(event) => set({ project: event.currentTarget.value })}
          />
        </label>
      )}
      <label class="field">
        <span>Expires after, such as 30d (empty: never)</span>
        <input class="input" value={values.expires} onInput={(event) => set({ expires: event.currentTarget.value })} />
      </label>
      <label class="field">
        <span>Rows of an answer at most (empty: as the endpoint says)</span>
        <input
          class="input"
          type="number"
          min={1}
          value={values.rows}
          onInput={(event) => set({ rows: event.currentTarget.value })}
        />
      </label>
      <button type="submit" class="button primary">
        Make the token
      </button>
    </form>
  );
}
