import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { runEndpoint } from "../api/client.ts";
import { Loaded } from "../components/loaded.tsx";
import { Empty } from "../components/notices.tsx";
import { stackUp } from "../lib/series.ts";
import { formatInstant } from "../lib/time.ts";
import { useLoad } from "../lib/use-load.ts";
import { formatCount } from "../lib/values.ts";
import { theme, zone } from "../state/preferences.ts";
import { linkedProject, session } from "../state/session.ts";

const endpoint = "usage.api-counts";
const intervals = [
  ["minutely", "Last hour, by minute"],
  ["hourly", "Last hour, by hour"],
  ["daily", "Last 7 days, by day"],
] as const;
const areas = [
  ["total_rest_requests", "REST", "--series-redirect"],
  ["total_auth_requests", "Auth", "--series-ok"],
  ["total_storage_requests", "Storage", "--series-warning"],
  ["total_realtime_requests", "Realtime", "--series-other"],
] as const;

type UsageRow = Readonly<Record<string, string | number>>;

/** True where the token may see it. */
export function hasUsage(endpoints: readonly { readonly name: string }[]): boolean {
  return endpoints.some(({ name }) => name === endpoint);
}

/** Requests of a project by area, over the endpoint's three intervals. */
export function UsagePage() {
  const pinned = session.value?.token.pins.project;
  const [project, setProject] = useState(pinned ?? linkedProject.value ?? "default");
  const [draft, setDraft] = useState(project);
  const [interval, setInterval] = useState<string>("minutely");
  const load = useLoad(
    async (signal) => {
      const sent = { interval, ...(pinned === undefined ? { project } : {}) };
      const response = await runEndpoint(endpoint, sent, { signal });
      return ((await response.json()) as { readonly result: readonly UsageRow[] }).result;
    },
    [interval, project],
  );
  return (
    <div class="page">
      <div class="page-head">
        <h1>Usage</h1>
        <fieldset class="segments" aria-label="Interval">
          {intervals.map(([name, label]) => (
            <button type="button" key={name} aria-pressed={interval === name} onClick={() => setInterval(name)}>
              {label}
            </button>
          ))}
        </fieldset>
        {pinned === undefined && (
          <form
            class="row"
            onSubmit={(event) => {
              event.preventDefault();
              setProject(draft);
            }}
          >
            <label class="row" for="usage-project">
              <span class="soft">project</span>
              <input
                id="usage-project"
                class="input"
                value={draft}
                onInput={(event) => setDraft(event.currentTarget.value)}
              />
            </label>
            <button type="submit" class="button">
              Show
            </button>
          </form>
        )}
      </div>
      <Loaded load={load}>
        {(rows) => (rows.length === 0 ? <Empty title="No requests in this time" /> : <UsageCharts rows={rows} />)}
      </Loaded>
    </div>
  );
}

function UsageCharts({ rows }: { readonly rows: readonly UsageRow[] }) {
  const total = (name: string) => rows.reduce((sum, row) => sum + Number(row[name] ?? 0), 0);
  return (
    <>
      <div class="tiles">
        {areas.map(([name, label, color]) => (
          <div key={name} class="card tile">
            <span class="soft">
              <span class="swatch" style={{ background: `var(${color})` }} />
              {label}
            </span>
            <b>{formatCount(total(name))}</b>
          </div>
        ))}
      </div>
      <section class="card card-body" aria-label="Requests over time">
        <Areas rows={rows} />
      </section>
    </>
  );
}

function Areas({ rows }: { readonly rows: readonly UsageRow[] }) {
  const place = useRef<HTMLDivElement>(null);
  const chosen = theme.value;
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const style = getComputedStyle(document.documentElement);
    const color = (name: string) => style.getPropertyValue(name).trim();
    const times = rows.map((row) => Date.parse(`${row.timestamp}Z`) / 1000);
    const stacked = stackUp(areas.map(([name]) => rows.map((row) => Number(row[name] ?? 0))));
    const axis = { stroke: color("--ink-faint"), grid: { stroke: color("--line"), width: 1 }, ticks: { show: false } };
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height: 280,
        legend: { show: false },
        cursor: { y: false },
        scales: { y: { range: (_, __, max) => [0, Math.max(1, max)] } },
        series: [
          {},
          ...[...areas].reverse().map(([, , name]) => ({
            stroke: color(name),
            fill: color(name),
            width: 1,
            // A single point has no area.
            points: { show: rows.length < 3, size: 8, fill: color(name) },
          })),
        ],
        axes: [
          {
            ...axis,
            values: (_, splits) => splits.map((seconds) => formatInstant(seconds * 1000, zone.value).slice(5, 16)),
            space: 90,
          },
          { ...axis, size: 56 },
        ],
      },
      [times, ...stacked.reverse()],
      element,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: 280 }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [rows, chosen]);
  const label = areas.map(([name, title]) => `${title} ${rows.reduce((sum, row) => sum + Number(row[name] ?? 0), 0)}`);
  return <div ref={place} role="img" aria-label={`Requests over time: ${label.join(", ")}`} />;
}
