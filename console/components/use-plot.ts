import { useEffect, useRef } from "preact/hooks";
import type uPlot from "uplot";
import { scheme, zone } from "../state/preferences.ts";

/** Draws a chart as large as the element of the reference; again when `keys`, the colours or the zone change. */
export function usePlot(draw: (element: HTMLElement) => uPlot, keys: readonly unknown[]) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const plot = draw(element);
    const observer = new ResizeObserver(() => {
      plot.setSize({ width: element.clientWidth, height: element.clientHeight });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [...keys, scheme.value, zone.value]);
  return place;
}
