import { callApi } from "../../api/client.ts";
import type { Endpoint } from "../../api/operations.generated.ts";
import { readCallers } from "../../lib/audit-queries.ts";
import { formatAgo } from "../../lib/time.ts";
import { useLoad } from "../../lib/use-load.ts";
import { formatCount, showControls } from "../../lib/values.ts";
import { linkTo } from "../../state/route.ts";
import { Loaded } from "../loaded.tsx";
import { EndpointQuery } from "./endpoint-query.tsx";
import { EndpointRun } from "./endpoint-run.tsx";
import { EndpointSnippets } from "./endpoint-snippets.tsx";
import { EndpointTests } from "./endpoint-tests.tsx";
import { EndpointVersions } from "./endpoint-versions.tsx";

/** One endpoint: its query, a form to run it, versions, callers, and how to call it. */
export function EndpointDetail({ name }: { readonly name: string }) {
  const load = useLoad((signal) => callApi("getEndpoint", { path: { endpoint: name }, signal }), [name]);
  return (
    <div class="page">
      <div class="page-head">
        <h1 class="mono">{showControls(name)}</h1>
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
            {endpoint.warnings?.map((warning) => (
              <div key={warning} class="notice warning">
                {warning}
              </div>
            ))}
            <p class="soft">{endpoint.description ?? ""}</p>
            <div class="columns">
              <div class="stack">
                <EndpointRun endpoint={endpoint} />
                <EndpointQuery key={endpoint.version} endpoint={endpoint} onSaved={load.reload} />
                <EndpointVersions endpoint={endpoint} onChanged={load.reload} />
                <EndpointTests endpoint={endpoint} />
              </div>
              <div class="stack">
                <Settings endpoint={endpoint} />
                <Callers name={name} />
                <EndpointSnippets endpoint={endpoint} />
              </div>
            </div>
          </>
        )}
      </Loaded>
    </div>
  );
}

function Settings({ endpoint }: { readonly endpoint: Endpoint }) {
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

function Callers({ name }: { readonly name: string }) {
  const load = useLoad((signal) => readCallers(name, signal), [name]);
  return (
    <section class="card" aria-label="Callers">
      <div class="card-head">
        <h2>Callers</h2>
      </div>
      <div class="card-body">
        <Loaded load={load}>
          {(callers) =>
            callers.length === 0 ? (
              <p class="faint">None in the last 24 hours</p>
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
