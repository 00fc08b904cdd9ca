import { callApi, send } from "../api/client.ts";
import { Button } from "../components/button.tsx";
import { Icon } from "../components/icon.tsx";
import { Loaded } from "../components/loaded.tsx";
import { Snippet } from "../components/snippet.tsx";
import { type Heading, TableCard } from "../components/table-card.tsx";
import { describeRetention, type Retention } from "../lib/retention.ts";
import { formatAgo } from "../lib/time.ts";
import { useLoad } from "../lib/use-load.ts";
import { formatBytes, formatCount } from "../lib/values.ts";

interface StoreState {
  readonly engine: string;
  readonly directory: string | null;
  readonly rows: number;
  readonly sources: readonly {
    readonly name: string;
    readonly rows: number;
    readonly newest: string | null;
    readonly fields: number;
    readonly retention_days: Retention;
    readonly [figure: string]: unknown;
  }[];
  readonly problems: readonly { readonly code: string; readonly message: string; readonly source?: string }[];
  /** The engine's own figures of the store and of each source, under their names. */
  readonly figures: readonly Figure[];
  readonly [figure: string]: unknown;
}

interface Figure {
  readonly name: string;
  readonly label: string;
  readonly unit: "bytes" | "events" | "count";
  readonly of: "store" | "source";
  readonly description: string;
}

function formatFigure({ name, unit }: Figure, values: { readonly [figure: string]: unknown }): string {
  const value = Number(values[name] ?? 0);
  return unit === "bytes" ? formatBytes(value) : formatCount(value);
}

/** How large the store is, and what somebody should look at. */
export function StorePage() {
  const memory = useLoad(readMemory, []);
  const load = useLoad(async (signal) => (await callApi("getStore", { signal })) as unknown as StoreState, []);
  return (
    <div class="page">
      <div class="page-head">
        <h1 class="grow">Store</h1>
        <Button icon="refresh" text="Refresh" onClick={() => [load, memory].forEach(({ reload }) => void reload())} />
      </div>
      <Loaded load={load}>{(state) => <State state={state} memory={memory.value} />}</Loaded>
    </div>
  );
}

interface Memory {
  readonly service: number;
  readonly engine: number;
}

/** Resident memory in bytes, which the metrics report. */
async function readMemory(signal: AbortSignal): Promise<Memory> {
  const text = await (await send("getMetrics", { signal, headers: { accept: "text/plain" } })).text();
  const read = (name: string) => Number(new RegExp(`^logweir_${name} (\\S+)$`, "m").exec(text)?.[1] ?? 0);
  return { service: read("service_memory_bytes"), engine: read("engine_memory_bytes") };
}

function headingsOf(figures: readonly Figure[]): readonly Heading[] {
  return [
    "Source",
    { ofNumbers: "Events" },
    { ofNumbers: "Fields" },
    ...figures.map(({ label, description }) => ({ ofNumbers: label, title: description })),
    { ofNumbers: "Retention" },
    "Newest",
  ];
}

function State({ state, memory }: { readonly state: StoreState; readonly memory: Memory | undefined }) {
  const ofSources = state.figures.filter((figure) => figure.of === "source");
  const tiles: readonly (readonly [label: string, value: string, description?: string])[] = [
    ["Events", formatCount(state.rows)],
    ...state.figures
      .filter((figure) => figure.of === "store")
      .map((figure) => [figure.label, formatFigure(figure, state), figure.description] as const),
    ["Service memory", memory === undefined ? "…" : formatBytes(memory.service)],
    ["Engine memory", memory === undefined ? "…" : formatBytes(memory.engine)],
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
        {tiles.map(([label, value, description]) => (
          <div key={label} class="card tile" title={description}>
            <span class="soft">{label}</span>
            <b>{value}</b>
          </div>
        ))}
      </div>
      <TableCard label="Sources of the store" headings={headingsOf(ofSources)}>
        {state.sources.map(({ name, rows, fields, retention_days: days, newest, ...values }) => (
          <tr key={name}>
            <td class="mono">{name}</td>
            <td class="number">{formatCount(rows)}</td>
            <td class="number">{formatCount(fields)}</td>
            {ofSources.map((figure) => (
              <td key={figure.name} class="number">
                {formatFigure(figure, values)}
              </td>
            ))}
            <td class="number">{describeRetention(days)}</td>
            <td>{newest === null ? <span class="faint">none</span> : formatAgo(Date.parse(newest), Date.now())}</td>
          </tr>
        ))}
      </TableCard>
      <section class="card card-body stack" aria-label="Backups">
        <h2>Backups</h2>
        <Snippet title="Back up what is new, while events are stored" text="logweir backup ./backups" />
      </section>
    </>
  );
}
