import { callApi } from "../../api/client.ts";
import { readCallers } from "../../lib/audit-queries.ts";
import { formatAgo } from "../../lib/time.ts";
import { useLoad } from "../../lib/use-load.ts";
import { formatCount, showControls } from "../../lib/values.ts";
import { linkTo } from "../../state/route.ts";
import { Loaded } from "../loaded.tsx";
import { EndpointQuery } from "./endpoint-query.tsx";
import { EndpointRun } from "./endpoint-run.tsx";
import { EndpointActions, EndpointSettings } from "./endpoint-settings.tsx";
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
        <span class="grow" />
        {load.value !== undefined && <EndpointActions endpoint={load.value} onSaved={load.reload} />}
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
                <EndpointSettings endpoint={endpoint} />
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
