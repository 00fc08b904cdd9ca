/** The parts of the address behind `#`: a page's path and its state. */
export interface Fragment {
  /** Such as `explore` or `endpoints/logs.all`, without slashes at its ends. */
  readonly path: string;
  readonly parameters: URLSearchParams;
}

/** Reads `#/path?name=value`; `#name=value` has an empty path. */
export function parseFragment(hash: string): Fragment {
  const text = hash.replace(/^#/, "");
  const [path = "", query = ""] = text.startsWith("/") ? splitOnce(text, "?") : ["", text];
  // Links that sign in read `/#token=...`; some mail programs add a slash in front.
  if (path.includes("=")) return { path: "", parameters: new URLSearchParams(path.replace(/^\/+/, "")) };
  return { path: decodePath(path.replace(/^\/+|\/+$/g, "")), parameters: new URLSearchParams(query) };
}

/** The fragment as an address has it. */
export function formatFragment({ path, parameters }: Fragment): string {
  const query = parameters.toString();
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  return `#/${encoded}${query === "" ? "" : `?${query}`}`;
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + separator.length)];
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
