import { signal } from "@preact/signals";
import { type Fragment, formatFragment, parseFragment } from "../lib/fragment.ts";

/** Which page the address asks for, and its state. */
export const route = signal<Fragment>({ path: "", parameters: new URLSearchParams() });

/** Follows the address from now on. */
export function startRouting(): void {
  const read = () => {
    route.value = parseFragment(location.hash);
  };
  window.addEventListener("popstate", read);
  window.addEventListener("hashchange", read);
  read();
}

/** Goes to another page, or to another state of this one. */
export function navigate(path: string, parameters: URLSearchParams = new URLSearchParams()): void {
  write({ path, parameters }, "push");
}

/** Writes the state into the address without a step back to what it was. */
export function replaceState(path: string, parameters: URLSearchParams): void {
  write({ path, parameters }, "replace");
}

function write(fragment: Fragment, how: "push" | "replace"): void {
  const address = location.pathname + location.search + formatFragment(fragment);
  if (address === location.pathname + location.search + location.hash) how = "replace";
  if (how === "push") history.pushState(null, "", address);
  else history.replaceState(null, "", address);
  route.value = fragment;
}

export function linkTo(path: string, parameters: URLSearchParams = new URLSearchParams()): string {
  return formatFragment({ path, parameters });
}
