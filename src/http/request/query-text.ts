import { ServiceError } from "../../shared/errors.ts";

/** Every value of every name of a query string or form, in their order. */
export type TextParameters = ReadonlyMap<string, readonly string[]>;

/** Anybody may send them, and reading each takes time. */
const maxParameters = 1_000;

/**
 * Reads `a=1&b=2` as browsers do (WHATWG URL), once it is asked for: `+` is a space, broken escapes stand for
 * themselves. Asking throws `request_too_large` where there are too many.
 */
export function parseQueryText(text: string): { readonly values: TextParameters } {
  let values: TextParameters | undefined;
  // Fastify asks for an object, and before any of its handlers of errors.
  return {
    get values() {
      values ??= readQueryText(text);
      return values;
    },
  };
}

function readQueryText(text: string): TextParameters {
  if (text.split("&", maxParameters + 1).length > maxParameters) {
    throw new ServiceError("request_too_large", `The request has more than ${maxParameters} parameters`);
  }
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const others = values.get(name);
    if (others === undefined) values.set(name, [value]);
    else others.push(value);
  }
  return values;
}
