import { useCallback } from "preact/hooks";
import { callApi } from "../api/client.ts";
import { useLoad } from "../lib/use-load.ts";
import { countableFields, formatCount } from "../lib/values.ts";
import { linkTo, navigate } from "../state/route.ts";
import { Histogram } from "./histogram.tsx";
import { Loaded } from "./loaded.tsx";
import { SendCard } from "./send-card.tsx";

const dayMs = 864e5;
/** Fields whose presence is counted, which one call bounds. */
const countedFields = 30;

/** A source: how much came in the last day, its fields with types and how often they are there, how to send. */
export function SourceDetail({ name }: { readonly name: string }) {
  const schema = useLoad((signal) => callApi("getSourceSchema", { path: { source: name }, signal }), [name]);
  const fields = schema.value?.fields ?? [];
  const counted = countableFields(fields).slice(0, countedFields);
  const volume = useLoad(
    async (signal) => {
      if (schema.value === undefined) return undefined;
      const now = Date.now();
      const { result } = await callApi("countRows", {
        path: { endpoint: `source:${name}` },
        signal,
        body: {
          from: new Date(now - dayMs).toISOString(),
          to: new Date(now).toISOString(),
          buckets: 96,
          facets: counted.map(({ path }) => path),
          values: 100,
        },
      });
      return result;
    },
    [name, schema.value],
  );
  const explore = useCallback(
    (fromMs: number, toMs: number) => {
      const r = `${new Date(fromMs).toISOString()}..${new Date(toMs).toISOString()}`;
      navigate("explore", new URLSearchParams({ s: `source:${name}`, r }));
    },
    [name],
  );
  const total = volume.value?.total ?? 0;
  const missing = new Map(
    volume.value?.facets.map(({ path, values }) => [path, values.find(({ value }) => value === null)?.count ?? 0]) ??
      [],
  );
  const shareOf = (path: string) => {
    const without = missing.get(path);
    return without === undefined || total === 0 ? "" : `${Math.round((100 * (total - without)) / total)}%`;
  };
  return (
    <div class="page">
      <div class="page-head">
        <h1 class="mono">{name}</h1>
        <a href={linkTo("sources")}>All sources</a>
        <a href={linkTo("explore", new URLSearchParams({ s: `source:${name}`, r: "24h" }))}>Explore</a>
      </div>
      <section class="card" aria-label="Volume">
        <div class="card-head">
          <h2 class="grow">The last day</h2>
          {volume.value !== undefined && <span class="soft">{formatCount(total)} events</span>}
        </div>
        <div class="card-body">
          <Loaded load={volume}>
            {(overview) => (overview === undefined ? null : <Histogram overview={overview} onSelect={explore} />)}
          </Loaded>
        </div>
      </section>
      <SendCard source={name} onSent={volume.reload} />
      <section class="card" aria-label="Fields">
        <div class="card-head">
          <h2 class="grow">Fields</h2>
          <span class="faint">{fields.length}; how often they are there, in the last day</span>
        </div>
        <Loaded load={schema}>
          {() => (
            <table class="table">
              <thead>
                <tr>
                  <th>Field</th>
                  <th>Type</th>
                  <th class="number">There</th>
                </tr>
              </thead>
              <tbody>
                {fields.slice(0, 500).map(({ path, type }) => (
                  <tr key={path}>
                    <td class="mono">{path}</td>
                    <td class="mono soft">{type}</td>
                    <td class="number">{shareOf(path)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </Loaded>
      </section>
    </div>
  );
}
