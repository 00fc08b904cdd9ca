import uPlot from "uplot";
import { readColor } from "../lib/color.ts";
import { stackUp } from "../lib/series.ts";
import { formatInstant } from "../lib/time.ts";
import { formatCount } from "../lib/values.ts";
import { zone } from "../state/preferences.ts";
import { usePlot } from "./use-plot.ts";

export interface Area {
  readonly name: string;
  /** A custom property. */
  readonly color: string;
  readonly counts: readonly number[];
}

/** Counts over time, one upon the other. `times` are milliseconds since 1970, ascending. */
export function StackedAreas({ times, areas }: { readonly times: readonly number[]; readonly areas: readonly Area[] }) {
  const place = usePlot((element) => draw(element, times, areas), [times, areas]);
  const totals = areas.map(({ name, counts }) => `${name} ${formatCount(counts.reduce((sum, each) => sum + each, 0))}`);
  return <div class="areas" ref={place} role="img" aria-label={`Requests over time: ${totals.join(", ")}`} />;
}

function draw(element: HTMLElement, times: readonly number[], areas: readonly Area[]): uPlot {
  const axis = {
    stroke: readColor("--ink-faint"),
    grid: { stroke: readColor("--line"), width: 1 },
    ticks: { show: false },
  };
  const stacked = stackUp(areas.map(({ counts }) => counts));
  return new uPlot(
    {
      width: element.clientWidth,
      height: element.clientHeight,
      legend: { show: false },
      cursor: { y: false },
      scales: { y: { range: (_, __, max) => [0, Math.max(1, max)] } },
      series: [
        {},
        ...[...areas].reverse().map(({ color }) => ({
          stroke: readColor(color),
          fill: readColor(color),
          width: 1,
          // A single point has no area.
          points: { show: times.length < 3, size: 8, fill: readColor(color) },
        })),
      ],
      axes: [
        {
          ...axis,
          size: 28,
          values: (_, splits) => splits.map((seconds) => formatTick(seconds * 1000, times)),
          space: 90,
        },
        { ...axis, size: 56 },
      ],
    },
    [times.map((ms) => ms / 1000), ...stacked.reverse()],
    element,
  );
}

const dayMs = 864e5;

/** The time of the day, with the date before it where several days are shown. */
function formatTick(ms: number, times: readonly number[]): string {
  const spanMs = (times.at(-1) ?? 0) - (times[0] ?? 0);
  return formatInstant(ms, zone.value).slice(spanMs > dayMs ? 5 : 11, 16);
}
