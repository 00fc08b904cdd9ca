import type { Endpoint } from "../../api/operations.generated.ts";
import { Snippet } from "../snippet.tsx";

/** How to call an endpoint, in several languages; what must be sent stands in as an example. */
export function EndpointSnippets({ endpoint }: { readonly endpoint: Endpoint }) {
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
    <section class="card" aria-label="How to call it">
      <div class="card-head">
        <h2>Call it</h2>
      </div>
      <div class="card-body stack">
        <Snippet title="curl" text={`curl -H "X-API-KEY: $LOGWEIR_TOKEN" '${url}'`} />
        <Snippet
          title="Command line"
          text={`logweir query ${endpoint.name}${values.map(([name, value]) => ` --param ${name}=${value}`).join("")}`}
        />
        <Snippet title="TypeScript" text={typescript} />
        <Snippet title="Python" text={python} />
        <Snippet title="Grafana" text={grafana} />
        <Snippet title="MCP" text={mcp} />
      </div>
    </section>
  );
}
