import { callApi, send } from "../api/client.ts";
import { Icon } from "../components/icon.tsx";
import { Loaded } from "../components/loaded.tsx";
import { Snippet } from "../components/snippet.tsx";
import { formatAgo } from "../lib/time.ts";
import { useLoad } from "../lib/use-load.ts";
import { formatBytes, formatCount } from "../lib/values.ts";

interface StoreState {
  readonly engine: string;
  readonly directory: string | null;
  readonly rows: number;
  readonly file_bytes: number;
  readonly reusable_bytes: number;
  readonly log_bytes: number;
  readonly disk_free_bytes: number;
  readonly sources: readonly {
    readonly name: string;
    readonly rows: number;
    readonly newest: string | null;
    readonly fields: number;
    readonly tail_rows: number;
    readonly retention_days: number | null;
  }[];
  readonly problems: readonly { readonly code: string; readonly message: string; readonly source?: string }[];
}

/** How large the store is, and what somebody should look at. */
export function StorePage() {
  const memory = useLoad(readMemory, []);
  const load = useLoad(async (signal) => (await callApi("getStore", { signal })) as unknown as StoreState, []);
  return (
    <div class="page">
      <div class="page-head">
        <h1 class="grow">Store</h1>
        <button type="button" class="button" onClick={() => [load, memory].forEach(({ reload }) => void reload())}>
          <Icon name="refresh" /> Look again
        </button>
      </div>
      <Loaded load={load}>{(state) => <State state={state} memory={memory.value} />}</Loaded>
    </div>
  );
}

interface Memory {
  readonly service: number;
  readonly engine: number;
}

/** Resident memory in bytes, which the metrics tell. */
async function readMemory(signal: AbortSignal): Promise<Memory> {
  const text = await (await send("getMetrics", { signal, headers: { accept: "text/plain" } })).text();
  const read = (name: string) => Number(new RegExp(`^logweir_${name} (\\S+)$`, "m").exec(text)?.[1] ?? 0);
  return { service: read("service_memory_bytes"), engine: read("engine_memory_bytes") };
}

function State({ state, memory }: { readonly state: StoreState; readonly memory: Memory | undefined }) {
  const tailRows = state.sources.reduce((sum, source) => sum + source.tail_rows, 0);
  const tiles: readonly (readonly [string, string])[] = [
    ["Events", formatCount(state.rows)],
    ["On disk", formatBytes(state.file_bytes)],
    ["Free inside", formatBytes(state.reusable_bytes)],
    ["Log", formatBytes(state.log_bytes)],
    ["To be put in order", formatCount(tailRows)],
    ["Disk left", formatBytes(state.disk_free_bytes)],
    ["Memory of the service", memory === undefined ? "…" : formatBytes(memory.service)],
    ["Memory of the engine", memory === undefined ? "…" : formatBytes(memory.engine)],
  ];
  return (
    <>
      {state.problems.map(({ code, message }) => (
        <div key={code + message} class="notice warning" role="alert">
          <Icon name="warning" />
          <span>{message}</span>
        </div>
      ))}
      <div class="tiles">
        {tiles.map(([label, value]) => (
          <div key={label} class="card tile">
            <span class="soft">{label}</span>
            <b>{value}</b>
          </div>
        ))}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section class="card scroll-x" tabIndex={0} aria-label="Sources of the store">
        <table class="table">
          <thead>
            <tr>
              <th>Source</th>
              <th class="number">Events</th>
              <th class="number">Fields</th>
              <th class="number">To be put in order</th>
              <th class="number">Kept</th>
              <th>Newest</th>
            </tr>
          </thead>
          <tbody>
            {state.sources.map(({ name, rows, fields, tail_rows: tail, retention_days: days, newest }) => (
              <tr key={name}>
                <td class="mono">{name}</td>
                <td class="number">{formatCount(rows)}</td>
                <td class="number">{formatCount(fields)}</td>
                <td class="number">{formatCount(tail)}</td>
                <td class="number">{days === null ? "for good" : `${days} days`}</td>
                <td>{newest === null ? <span class="faint">none</span> : formatAgo(Date.parse(newest), Date.now())}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <section class="card card-body stack" aria-label="Backups">
        <h2>Backups</h2>
        <Snippet title="Back up, while events are stored" text="logweir backup ./backup-2026-08-20" />
      </section>
    </>
  );
}
