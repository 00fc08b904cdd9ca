/** The methods of a path, whatever the values of its parameters. */
export interface MethodIndex {
  /** A route as it is declared: `/a/:name`, `/a/*`. */
  add(url: string, methods: readonly string[]): void;
  /** Methods of the routes that match a path, in order. */
  of(path: string): readonly string[];
}

/** Methods that every path answers, or that are never requested by mistake. */
const others: ReadonlySet<string> = new Set(["OPTIONS", "TRACE"]);

export function createMethodIndex(): MethodIndex {
  const routes = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();
  return {
    add(url, methods) {
      const known = methods.filter((method) => !others.has(method));
      // Of every path, such as preflights: it says nothing of any.
      if (known.length === 0 || url === "*" || url === "/*") return;
      const route = routes.get(url) ?? { pattern: toPattern(url), methods: new Set() };
      routes.set(url, route);
      for (const method of known) route.methods.add(method);
    },
    of(path) {
      const found = [...routes.values()].filter(({ pattern }) => pattern.test(path));
      return [...new Set(found.flatMap(({ methods }) => [...methods]))].sort();
    },
  };
}

/** A parameter may be a part of a segment, and may have a pattern of its own, which is not looked at. */
function toPattern(url: string): RegExp {
  const parts = url.replace(/\/$/, "").split(/(:\w+(?:\([^)]*\))?|\*)/);
  const source = parts.map((part) => {
    if (part.startsWith(":")) return "[^/]+";
    return part === "*" ? ".*" : part.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
  });
  return new RegExp(`^${source.join("")}/?$`);
}
