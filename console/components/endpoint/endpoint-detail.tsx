import { callApi } from "../../api/client.ts";
import type { Endpoint } from "../../api/operations.ts";
import { readCallers } from "../../lib/audit-queries.ts";
import { formatAgo } from "../../lib/time.ts";
import { useLoad } from "../../lib/use-load.ts";
import { formatCount } from "../../lib/values.ts";
import { linkTo } from "../../state/route.ts";
import { Card } from "../layout.tsx";
import { Loaded } from "../loaded.tsx";
import { Snippet } from "../snippet.tsx";
import { EndpointQuery } from "./endpoint-query.tsx";
import { EndpointRun } from "./endpoint-run.tsx";
import { EndpointActions, EndpointSettings } from "./endpoint-settings.tsx";
import { EndpointTests } from "./endpoint-tests.tsx";
import { EndpointVersions } from "./endpoint-versions.tsx";

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
    <Card label="Callers">
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
    </Card>
  );
}

/** How to call an endpoint, in several languages; what must be sent stands in as an example. */
function EndpointSnippets({ endpoint }: { readonly endpoint: Endpoint }) {
  const needed = Object.entries(endpoint.parameters).filter(([, { required }]) => required);
  const values = needed.map(([name, { allowed }]) => [name, String(allowed?.[0] ?? "default")]);
  const origin = new URL(".", location.href.split("#")[0]).href.replace(/\/$/, "");
  const query = new URLSearchParams(values).toString();
  const url = `${origin}/api/endpoints/query/${encodeURIComponent(endpoint.name)}${query === "" ? "" : `?${query}`}`;
  const typescript = `const response = await fetch("${url}", {\n  headers: { "x-api-key": token },\n});\nconst { result } = await response.json();`;
  const python = `import os, requests\n\nrows = requests.get("${url}",\n    headers={"X-API-KEY": os.environ["LOGWEIR_TOKEN"]}).json()["result"]`;
  const grafana = `Infinity data source, JSON, GET\nURL: ${url}\nRows: result\nHeader: X-API-KEY = the token`;
  const mcp = JSON.stringify(
    { mcpServers: { logweir: { type: "http", url: `${origin}/mcp`, headers: { "X-API-KEY": "TOKEN" } } } },
    undefined,
    2,
  );
  return (
    <Card label="How to call it" title="Call it">
      <Snippet title="curl" text={`curl -H "X-API-KEY: $LOGWEIR_TOKEN" '${url}'`} />
      <Snippet
        title="Command line"
        text={`logweir query ${endpoint.name}${values.map(([name, value]) => ` --param ${name}=${value}`).join("")}`}
      />
      <Snippet title="TypeScript" text={typescript} />
      <Snippet title="Python" text={python} />
      <Snippet title="Grafana" text={grafana} />
      <Snippet title="MCP" text={mcp} />
    </Card>
  );
}
