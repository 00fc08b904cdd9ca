import uPlot from "uplot";
import { readColor } from "../lib/color.ts";
import { countsByLevel, levelNames, stackUp } from "../lib/series.ts";
import { formatInstant } from "../lib/time.ts";
import { formatCount } from "../lib/values.ts";
import type { Overview } from "../state/explore.ts";
import { zone } from "../state/preferences.ts";
import { usePlot } from "./use-plot.ts";

interface HistogramProps {
  readonly overview: Overview;
  /** Called with a part that was dragged over, in milliseconds. */
  readonly onSelect: (fromMs: number, toMs: number) => void;
}

/** Rows over time, stacked by how bad they are. Dragging chooses a part. */
export function Histogram({ overview, onSelect }: HistogramProps) {
  const place = usePlot((element) => draw(element, overview, onSelect), [overview, onSelect]);
  return <div class="chart" ref={place} role="img" aria-label={describe(overview)} />;
}

function describe({ series }: Overview): string {
  const parts = countsByLevel(series).map(({ level, total }) => `${formatCount(total)} ${levelNames[level]}`);
  return `Rows over time: ${parts.length === 0 ? "none" : parts.join(", ")}`;
}

function draw(element: HTMLElement, overview: Overview, onSelect: HistogramProps["onSelect"]): uPlot {
  const fromS = Date.parse(overview.from) / 1000;
  const toS = Date.parse(overview.to) / 1000;
  const widthS = overview.bucket_us / 1e6;
  const parted = countsByLevel(overview.series);
  const length = parted[0]?.counts.length ?? Math.max(1, Math.ceil((toS - fromS) / widthS));
  const middles = Array.from({ length }, (_, index) => fromS + (index + 0.5) * widthS);
  const bars = uPlot.paths.bars?.({ size: [0.86, 40], align: 0 });
  const axis = {
    stroke: readColor("--ink-faint"),
    grid: { show: false },
    ticks: { show: false },
    font: "11px system-ui",
  };
  return new uPlot(
    {
      width: element.clientWidth,
      height: element.clientHeight,
      // Half of the last label stands beyond the last tick.
      padding: [6, toS - fromS < 600 ? 36 : 18, 0, 0],
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
      scales: {
        x: { time: true, range: () => [fromS, toS] },
        y: { range: (_, __, max) => [0, Math.max(1, max)] },
      },
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1e3), zone.value === "utc" ? "Etc/UTC" : localZone()),
      series: [
        {},
        // The highest stack is drawn first, the others over it.
        ...[...parted].reverse().map(({ level }) => ({
          fill: readColor(`--series-${level}`),
          width: 0,
          points: { show: false },
          ...(bars === undefined ? {} : { paths: bars }),
        })),
      ],
      axes: [
        {
          ...axis,
          size: 20,
          gap: 2,
          values: (_, splits) => splits.map((seconds) => formatTick(seconds * 1e3, toS - fromS)),
        },
        {
          ...axis,
          size: 40,
          gap: 4,
          space: 24,
          values: (_, splits) => splits.map((count) => (Number.isInteger(count) ? compact(count) : "")),
        },
      ],
      hooks: { setSelect: [(plot) => readSelection(plot, onSelect)] },
    },
    [middles, ...stackUp(parted.map(({ counts }) => counts)).reverse()],
    element,
  );
}

/** A press without a drag chooses nothing. */
function readSelection(plot: uPlot, onSelect: HistogramProps["onSelect"]): void {
  const { left, width } = plot.select;
  if (width < 3) return;
  const [start, end] = [plot.posToVal(left, "x"), plot.posToVal(left + width, "x")];
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  onSelect(Math.floor(start * 1000), Math.ceil(end * 1000));
}

function localZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function formatTick(ms: number, spanS: number): string {
  const text = formatInstant(ms, zone.value);
  if (spanS > 2 * 86_400) return text.slice(5, 10);
  return spanS < 600 ? text.slice(11) : text.slice(11, 16);
}

function compact(count: number): string {
  return count >= 10_000 ? `${Math.round(count / 1000)}k` : formatCount(count);
}
