import { useState } from "preact/hooks";
import { callApi } from "../api/client.ts";
import type { Endpoint } from "../api/operations.generated.ts";
import { readCallers } from "../lib/audit-queries.ts";
import { formatAgo } from "../lib/time.ts";
import { useLoad } from "../lib/use-load.ts";
import { formatCount } from "../lib/values.ts";
import { linkTo } from "../state/route.ts";
import { say } from "../state/toasts.ts";
import { EndpointRun } from "./endpoint-run.tsx";
import { EndpointVersions } from "./endpoint-versions.tsx";
import { Loaded } from "./loaded.tsx";
import { ErrorNotice } from "./notices.tsx";
import { Snippet } from "./snippet.tsx";

/** One endpoint: its query, a form to run it, versions, callers, and how to call it. */
export function EndpointDetail({ name }: { readonly name: string }) {
  const load = useLoad((signal) => callApi("getEndpoint", { path: { endpoint: name }, signal }), [name]);
  return (
    <div class="page">
      <div class="page-head">
        <h1 class="mono">{name}</h1>
        <a href={linkTo("endpoints")}>All endpoints</a>
        {load.value?.sandbox === true && (
          <a href={linkTo("explore", new URLSearchParams({ s: name }))}>Explore its tables</a>
        )}
      </div>
      <Loaded load={load}>
        {(endpoint) => (
          <>
            {endpoint.problem !== undefined && (
              <div class="notice danger" role="alert">
                {endpoint.problem}
              </div>
            )}
            <p class="soft">{endpoint.description ?? ""}</p>
            <div class="columns">
              <div class="stack">
                <EndpointRun endpoint={endpoint} />
                <QueryCard endpoint={endpoint} onSaved={load.reload} />
                <EndpointVersions endpoint={endpoint} onChanged={load.reload} />
              </div>
              <div class="stack">
                <Settings endpoint={endpoint} />
                <Callers name={name} />
                <Snippets endpoint={endpoint} />
              </div>
            </div>
          </>
        )}
      </Loaded>
    </div>
  );
}

function QueryCard({ endpoint, onSaved }: { readonly endpoint: Endpoint; readonly onSaved: () => void }) {
  const [text, setText] = useState(endpoint.query);
  const [error, setError] = useState<unknown>(undefined);
  const isFile = endpoint.origin === "file";
  const save = async () => {
    try {
      await callApi("changeEndpoint", { path: { endpoint: endpoint.id }, body: { query: text } });
      setError(undefined);
      say("Saved as a new version");
      onSaved();
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <section class="card" aria-label="Query">
      <div class="card-head">
        <h2 class="grow">Query</h2>
        {isFile ? (
          <span class="faint">in {endpoint.file?.split("/").at(-1)}: changed there</span>
        ) : (
          <button
            type="button"
            class="button primary small"
            disabled={text === endpoint.query}
            onClick={() => void save()}
          >
            Save as a version
          </button>
        )}
      </div>
      <div class="card-body stack">
        {error !== undefined && <ErrorNotice error={error} />}
        <textarea
          class="input mono"
          aria-label="The endpoint's query"
          rows={Math.min(24, text.split("\n").length + 1)}
          spellcheck={false}
          readOnly={isFile}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </div>
    </section>
  );
}

function Settings({ endpoint }: { readonly endpoint: Endpoint }) {
  const rows: readonly (readonly [string, string])[] = [
    ["Rows at most", formatCount(endpoint.max_rows)],
    ["Kept for", endpoint.cache_seconds === 0 ? "not kept" : `${endpoint.cache_seconds} s`],
    ["Takes queries", endpoint.sandbox ? "yes, over its tables" : "no"],
    ["Redacted", endpoint.redact_pii === false ? "where asked for" : "always"],
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

function Callers({ name }: { readonly name: string }) {
  const load = useLoad((signal) => readCallers(name, signal), [name]);
  return (
    <section class="card" aria-label="Callers">
      <div class="card-head">
        <h2>Who calls it</h2>
      </div>
      <div class="card-body">
        <Loaded load={load}>
          {(callers) =>
            callers.length === 0 ? (
              <p class="faint">Nobody in the last day</p>
            ) : (
              <ul class="stack" style={{ gap: "4px" }}>
                {callers.map(({ actor, calls, newest }) => (
                  <li key={actor} class="row">
                    <span class="mono grow">{actor}</span>
                    <span>{formatCount(calls)}</span>
                    <span class="faint">{formatAgo(newest, Date.now())}</span>
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </div>
    </section>
  );
}

function Snippets({ endpoint }: { readonly endpoint: Endpoint }) {
  const needed = Object.entries(endpoint.parameters).filter(([, { required }]) => required);
  const values = needed.map(([name, { allowed }]) => [name, allowed?.[0] ?? "default"] as const);
  const origin = new URL(".", location.href.split("#")[0]).href.replace(/\/$/, "");
  const url = `${origin}/api/endpoints/query/${encodeURIComponent(endpoint.name)}?${new URLSearchParams(values.map(([name, value]) => [name, String(value)]))}`;
  const typescript = `const response = await fetch("${url}", {\n  headers: { "x-api-key": token },\n});\nconst { result } = await response.json();`;
  const python = `import os, requests\n\nrows = requests.get("${url}",\n    headers={"x-api-key": os.environ["LOGWEIR_TOKEN"]}).json()["result"]`;
  const grafana = `Infinity data source, JSON, GET\nURL: ${url}\nRows: result\nHeader: X-API-KEY = the token`;
  return (
    <section class="card" aria-label="How to call it">
      <div class="card-head">
        <h2>Call it</h2>
      </div>
      <div class="card-body stack">
        <Snippet title="curl" text={`curl -H "X-API-KEY: $LOGWEIR_TOKEN" '${url}'`} />
        <Snippet title="TypeScript" text={typescript} />
        <Snippet title="Python" text={python} />
        <Snippet title="Grafana" text={grafana} />
      </div>
    </section>
  );
}
