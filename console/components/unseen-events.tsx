import { callApi } from "../api/client.ts";
import { findUnseenReasons, type UnseenReason } from "../lib/unseen-events.ts";
import { useLoad } from "../lib/use-load.ts";
import { formatCount } from "../lib/values.ts";
import { change, query, scopeParameters, shownRange } from "../state/explore.ts";
import { linkTo } from "../state/route.ts";
import { Button } from "./button.tsx";

const dayMs = 864e5;
/** Sources that are named at most, and whose tenants are counted. */
const namedSources = 3;

interface TenantCount {
  readonly parameter: string;
  readonly value: string;
  readonly count: number;
}

/** Where no row is shown: why events that arrive are not among them, and the tenants that have some. Nothing where nothing is known. */
export function UnseenEvents() {
  const { scope, parameters } = query.value;
  const { fromMs } = shownRange.value;
  const load = useLoad((signal) => readReasons(scope, fromMs, signal), [scope, fromMs, JSON.stringify(parameters)]);
  const { reasons, tenants } = load.value ?? { reasons: [], tenants: [] };
  return (
    <>
      {tenants.length > 0 && (
        <div class="row wrap">
          <span class="soft">In the last day there were events of</span>
          {tenants.map(({ parameter, value, count }) => (
            <button
              type="button"
              key={value}
              class="button small"
              onClick={() =>
                change({ parameters: { ...parameters, [parameter]: value }, range: { kind: "last", amount: "24h" } })
              }
            >
              {value.slice(0, 60)} ({formatCount(count)})
            </button>
          ))}
        </div>
      )}
      {reasons.map((reason) => (
        <Reason key={`${reason.source} ${reason.kind}`} reason={reason} />
      ))}
    </>
  );
}

function Reason({ reason: { source, text, newestMs } }: { readonly reason: UnseenReason }) {
  return (
    <div class="notice warning plain-text">
      <span class="grow">
        <a class="mono" href={linkTo(`sources/${encodeURIComponent(source)}`)}>
          {source}
        </a>
        : {text}
      </span>
      {newestMs !== undefined && (
        <Button
          class="small"
          text="Show the day before it"
          onClick={() => change({ range: { kind: "between", fromMs: newestMs - dayMs, toMs: newestMs + 1_000 } })}
        />
      )}
    </div>
  );
}

interface Found {
  readonly reasons: readonly UnseenReason[];
  readonly tenants: readonly TenantCount[];
}

/** A source explored by itself, else those that events came to last. */
async function readReasons(scope: string, fromMs: number, signal: AbortSignal): Promise<Found> {
  const [{ sources: intakes }, sources] = await Promise.all([
    callApi("countIntake", { signal }),
    callApi("listSources", { signal }),
  ]);
  const own = scope.startsWith("source:") ? scope.slice("source:".length) : undefined;
  const about = intakes
    .filter(({ source }) => (own === undefined ? !source.startsWith("logweir.") : source === own))
    .sort((a, b) => (b.last_stored ?? b.newest_event ?? "").localeCompare(a.last_stored ?? a.newest_event ?? ""))
    .slice(0, namedSources);
  const names = new Set(scopeParameters.value.map(({ name }) => name));
  const asked = sources.filter(
    ({ name, tenant = "", alias_of: other }) =>
      other === undefined && names.has(parameterOf(tenant)) && about.some(({ source }) => source === name),
  );
  const counted = await Promise.all(asked.map(({ name, tenant = "" }) => countTenants(name, tenant, signal)));
  return { reasons: findUnseenReasons(about, fromMs, Date.now()), tenants: addUp(counted.flat()) };
}

/** The parameter that chooses a tenant has the field's last name. */
const parameterOf = (tenantField: string) => tenantField.split(".").at(-1) ?? "";

/** The tenants with most events in the last day. */
async function countTenants(source: string, tenant: string, signal: AbortSignal): Promise<readonly TenantCount[]> {
  const nowMs = Date.now();
  const { result } = await callApi("countRows", {
    path: { endpoint: `source:${source}` },
    signal,
    body: {
      from: new Date(nowMs - dayMs).toISOString(),
      to: new Date(nowMs).toISOString(),
      buckets: 1,
      facets: [tenant],
      values: 5,
    },
  });
  return (result.facets[0]?.values ?? []).flatMap(({ value, count }) =>
    typeof value === "string" ? [{ parameter: parameterOf(tenant), value, count }] : [],
  );
}

/** The five tenants with most events over all sources. */
function addUp(counts: readonly TenantCount[]): readonly TenantCount[] {
  const byValue = new Map<string, TenantCount>();
  for (const each of counts) {
    const known = byValue.get(each.value)?.count ?? 0;
    byValue.set(each.value, { ...each, count: known + each.count });
  }
  const { parameters } = query.value;
  return [...byValue.values()]
    .filter(({ parameter, value }) => parameters[parameter] !== value)
    .sort((a, b) => b.count - a.count)
    .slice(0, 5);
}
