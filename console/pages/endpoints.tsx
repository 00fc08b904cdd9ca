import { callApi } from "../api/client.ts";
import { EndpointDetail } from "../components/endpoint/endpoint-detail.tsx";
import { NewEndpoint } from "../components/endpoint/new-endpoint.tsx";
import { Loaded } from "../components/loaded.tsx";
import { TableCard } from "../components/table-card.tsx";
import { useLoad } from "../lib/use-load.ts";
import { formatCount } from "../lib/values.ts";
import { linkTo, route } from "../state/route.ts";

/** Saved queries: what they are asked, and each by itself. */
export function EndpointsPage() {
  const [, name] = route.value.path.split("/");
  if (name === undefined) return <EndpointList />;
  return name === "new" ? <NewEndpoint /> : <EndpointDetail key={name} name={name} />;
}

const headings = [
  "Name",
  "Description",
  ...["Calls", "Cached", "p50", "p95", "Errors"].map((ofNumbers) => ({ ofNumbers })),
];

function EndpointList() {
  const load = useLoad((signal) => callApi("listEndpoints", { signal }), []);
  const use = useLoad(async (signal) => {
    const { endpoints, is_recorded: isRecorded } = await callApi("countCalls", { query: { since: "1d" }, signal });
    return { isRecorded, byName: new Map(endpoints.map((each) => [each.endpoint, each])) };
  }, []);
  return (
    <div class="page">
      <div class="page-head">
        <h1>Endpoints</h1>
        <p class="soft">
          {use.value?.isRecorded === false
            ? "Saved queries. Their calls are not counted: LOGWEIR_AUDIT records no runs"
            : "Saved queries, and how they were called in the last 24 hours"}
        </p>
        <a class="button" href={linkTo("endpoints/new")}>
          New endpoint
        </a>
      </div>
      <Loaded load={load}>
        {(endpoints) => (
          <TableCard label="Endpoints" headings={headings}>
            {endpoints.map(({ name, description, problem, origin }) => {
              const used = use.value?.byName.get(name);
              return (
                <tr key={name}>
                  <td>
                    <a class="mono name" href={linkTo(`endpoints/${name}`)}>
                      {name}
                    </a>{" "}
                    {problem !== undefined && <span class="badge danger">broken</span>}
                    {origin === "file" && <span class="badge">file</span>}
                  </td>
                  <td class="soft">{description ?? ""}</td>
                  <td class="number">{formatCount(used?.calls ?? 0)}</td>
                  <td class="number">
                    {used === undefined ? "–" : `${Math.round((100 * used.cached) / used.calls)}%`}
                  </td>
                  <td class="number">{formatMs(used?.p50_ms)}</td>
                  <td class="number">{formatMs(used?.p95_ms)}</td>
                  <td class="number">{formatCount(used?.errors ?? 0)}</td>
                </tr>
              );
            })}
          </TableCard>
        )}
      </Loaded>
    </div>
  );
}

function formatMs(ms: number | null | undefined): string {
  return ms === null || ms === undefined ? "–" : `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}
