/** Every value of every name of a query string or form, in their order. */
export type TextParameters = ReadonlyMap<string, readonly string[]>;

/** Reads `a=1&b=2` as browsers do (WHATWG URL): `+` is a space, broken escapes stand for themselves. */
export function parseQueryText(text: string): { readonly values: TextParameters } {
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const others = values.get(name);
    if (others === undefined) values.set(name, [value]);
    else others.push(value);
  }
  // Fastify asks for an object.
  return { values };
}
