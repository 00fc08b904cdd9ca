import type { Endpoint } from "../endpoints/definition/definition.ts";

/** `logs.all` as a name that programs can give a function: `logsAll`. */
function toFunctionName(name: string): string {
  const [first = "", ...others] = name.split(/[^A-Za-z0-9]+/).filter((part) => part !== "");
  const joined = lowerFirst(first) + others.map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join("");
  return /^[a-z]/i.test(joined) ? joined : `endpoint${joined}`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/**
 * The ids of the operations that run these endpoints, by endpoint id. Where two would be the same, or one is `taken`,
 * they end with the beginning of the endpoint's id. So an operation has the same id for every caller.
 */
export function operationIds(endpoints: readonly Endpoint[], taken: readonly string[]): ReadonlyMap<string, string> {
  const counts = new Map(taken.map((id) => [id, 1]));
  const plain = endpoints.map(({ definition }) => [definition.id, toFunctionName(definition.name)] as const);
  for (const [, name] of plain) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map(plain.map(([id, name]) => [id, counts.get(name) === 1 ? name : `${name}_${id.slice(0, 8)}`]));
}
