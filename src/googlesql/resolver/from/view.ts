import type { Span } from "../../diagnostic.ts";
import type { ViewDefinition } from "../../relation.ts";
import type { Column, CteDefinition } from "../../resolved.ts";
import type { SqlType } from "../../types.ts";
import { isSameType } from "../../typing/same-type.ts";
import { typeName } from "../call/coerce.ts";
import type { CteBinding, QueryResult } from "../context.ts";
import { Resolution, ResolutionStopped, type ViewBinding } from "../resolution.ts";
import { redactBinding } from "./redact-binding.ts";

/** How many views may read each other in a row. */
const MAX_VIEW_DEPTH = 16;

/**
 * A view as a common table expression of the whole query. It is resolved once, in a scope that has nothing of its
 * readers', and its readers see it redacted where it is. What is wrong with it is reported where it is read.
 */
export function readView(resolution: Resolution, view: ViewDefinition, span: Span): CteBinding {
  const { open, made } = resolution.views;
  const unready: CteBinding = { name: view.name, columns: [] };
  const refuse = (message: string): CteBinding => {
    resolution.report("invalid_query", message, span, { name: view.name });
    return unready;
  };
  const circle = open.findIndex(({ key }) => key === view.key);
  if (circle !== -1) {
    const path = [...open.slice(circle), view].map(({ name }) => name).join(" → ");
    return refuse(`Endpoints read each other in a circle: ${path}`);
  }
  if (open.length > MAX_VIEW_DEPTH) return refuse(`Endpoints read each other more than ${MAX_VIEW_DEPTH} levels deep`);
  const conflict = findConflict(resolution, view);
  if (conflict !== undefined) return refuse(conflict);
  const known = made.get(view.key);
  const binding = known ?? resolveView(resolution, view);
  made.set(view.key, binding);
  if (typeof binding === "string") return refuse(binding);
  for (const [key, type] of binding.parameters) resolution.usedParameters.set(key, type);
  return binding;
}

/** A parameter has one value in the whole query, so it has one type. */
function findConflict({ declaredParameters }: Resolution, view: ViewDefinition): string | undefined {
  for (const [key, type] of view.parameters) {
    const own: SqlType | undefined = declaredParameters.get(key);
    if (own === undefined || isSameType(own, type)) continue;
    return `The parameter @${key} is ${typeName(own)} here and ${typeName(type)} in ${view.name}`;
  }
  return undefined;
}

/** Resolves the view to its columns, or returns the reason why it cannot be read. */
function resolveView(outside: Resolution, view: ViewDefinition): ViewBinding | string {
  const { views, ids } = outside;
  const inside = new Resolution({
    text: view.text,
    tables: outside.tables,
    parameters: view.parameters,
    inferParameters: false,
    timeZone: outside.timeZone,
    catalogue: outside.catalogue,
    rules: outside.rules,
    ids,
    views,
  });
  views.open.push(view);
  let result: QueryResult | undefined;
  try {
    result = inside.rules.query({ resolution: inside, ctes: undefined, outer: undefined, firstColumn: 0 }, view.query);
  } catch (error) {
    if (!(error instanceof ResolutionStopped)) throw error;
  }
  views.open.pop();
  const [first] = inside.diagnostics;
  if (first?.message.startsWith("Endpoints read each other") === true) return first.message;
  if (first !== undefined || result === undefined)
    return `${view.name} cannot be read: ${first?.message ?? "too deep"}`;
  const binding = define(inside, view.name, result);
  const shown = view.redaction === undefined ? binding : redactBinding(inside, binding, view.redaction);
  for (const { definition } of new Set([binding, shown]))
    if (definition !== undefined) views.definitions.push(definition);
  return { ...shown, parameters: inside.usedParameters };
}

/** Columns that only the order needs are part of the output, without a name. */
function define({ ids }: Resolution, name: string, { scan, columns, order }: QueryResult): CteBinding {
  const keys = order?.keys ?? [];
  const byId = new Map<number, Column>([...columns, ...keys].map(({ column }) => [column.id, column]));
  const output = [...byId.values()];
  const definition: CteDefinition = { id: ids.nextCte++, name, scan, output, isRecursive: false };
  return { name, definition, columns, ...(order === undefined ? {} : { order: keys }) };
}
