import { computed, effect, signal } from "@preact/signals";
import { preferences } from "../lib/storage.ts";
import type { Zone } from "../lib/time.ts";

export type Theme = "system" | "light" | "dark";

const keptTheme = preferences.read("theme");
export const theme = signal<Theme>(keptTheme === "light" || keptTheme === "dark" ? keptTheme : "system");
const darkMedia = window.matchMedia("(prefers-color-scheme: dark)");
const isSystemDark = signal(darkMedia.matches);
/**
 * The chosen colour scheme, or the system's. Charts that take their colours from the page are drawn again when it
 * changes.
 */
export const scheme = computed(() =>
  theme.value === "system" ? (isSystemDark.value ? "dark" : "light") : theme.value,
);
export const zone = signal<Zone>(preferences.read("zone") === "utc" ? "utc" : "local");
export const showsFacets = signal(preferences.read("facets") !== "hidden" && window.innerWidth > 900);

/** Keeps what is chosen, and shows it. */
export function startPreferences(): void {
  darkMedia.addEventListener("change", ({ matches }) => {
    isSystemDark.value = matches;
  });
  effect(() => {
    const chosen = theme.value;
    if (chosen === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = chosen;
    preferences.write("theme", chosen);
  });
  effect(() => preferences.write("zone", zone.value));
  effect(() => preferences.write("facets", showsFacets.value ? "shown" : "hidden"));
}
