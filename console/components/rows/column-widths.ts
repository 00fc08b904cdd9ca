import { signal } from "@preact/signals";
import { preferences } from "../../lib/storage.ts";

/** Pixels of the column of time, and of others that nobody has dragged. */
export const timeWidth = 196;
export const columnWidth = 220;
const narrowest = 60;
const widest = 2_000;

const widths = signal<Readonly<Record<string, number>>>(JSON.parse(preferences.read("widths") ?? "{}"));

/** A column's width in pixels; undefined takes what is left. */
export function widthOf(path: string, isLast: boolean): number | undefined {
  const chosen = Object.hasOwn(widths.value, path) ? widths.value[path] : undefined;
  return chosen ?? (isLast ? undefined : columnWidth);
}

/** Sets it, and keeps it in this browser. */
export function setColumnWidth(path: string, width: number): void {
  widths.value = { ...widths.value, [path]: Math.min(widest, Math.max(narrowest, Math.round(width))) };
  preferences.write("widths", JSON.stringify(widths.value));
}
