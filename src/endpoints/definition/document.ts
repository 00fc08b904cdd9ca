import { type Static, Type } from "typebox";
import { Value } from "typebox/value";
import { findNearest } from "../../shared/documents/nearest.ts";
import { findSchemaProblems } from "../../shared/documents/schema-problems.ts";
import { describeParameter } from "./contract.ts";
import type { EndpointDefinition } from "./definition.ts";
import type { FieldProblem } from "./field-problem.ts";
import { EndpointHeader } from "./header.ts";
import { readReferenceFields } from "./reference-fields.ts";

const { properties } = EndpointHeader;

/**
 * An endpoint as the API takes it and files write it: the fields of a file's header, and the query. Name and query
 * must be there.
 */
export const EndpointDocument = Type.Object(
  {
    ...properties,
    id: Type.Optional(properties.id),
    name: Type.Optional(properties.name),
    query: Type.Optional(Type.String({ minLength: 1 })),
  },
  { additionalProperties: false },
);

export type EndpointDocument = Static<typeof EndpointDocument>;

/** Fields that the API adds to a document, and ignores when it is sent back. */
const shownOnly: readonly string[] = ["version", "origin", "file", "contract", "problem", "created_at", "updated_at"];

/** The valid fields of a document, and the problems of its form. */
export interface ReadDocument {
  readonly fields: EndpointDocument;
  readonly problems: readonly FieldProblem[];
}

/** The required form of these texts, in words. */
const forms: Readonly<Record<string, string>> = {
  id: "must be a UUID",
  name: "must begin with a letter or digit and go on with letters, digits, '.', '_' and '-', 128 at most",
};

/**
 * Reads a document of the API: null counts as left out, the reference's names are understood, and labels may be a
 * text `k=v,k2`. Every problem is reported, and a field that is wrong is left out. A partial one needs no name and no
 * query, and in it null stays null: it stands for the default.
 */
export function readDocument(input: unknown, { isPartial = false } = {}): ReadDocument {
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    return { fields: {}, problems: [{ path: [], message: "must be a JSON object with the fields of an endpoint" }] };
  }
  const { fields: own, problems } = readReferenceFields(input);
  const known = Object.keys(EndpointDocument.properties);
  const fields: Record<string, unknown> = {};
  const nulls: string[] = [];
  for (const [key, value] of Object.entries(own)) {
    if (shownOnly.includes(key) || value === undefined) continue;
    if (value === null && known.includes(key)) {
      nulls.push(key);
      continue;
    }
    if (known.includes(key)) fields[key] = key === "parameters" ? withoutNulls(value) : value;
    else problems.push(unknownField(key, known));
  }
  // Field by field: the library stops at eight problems, and a field without one is used.
  const wrong = Value.Check(EndpointDocument, fields)
    ? []
    : Object.entries(fields).flatMap(([key, value]) => findSchemaProblems(EndpointDocument, { [key]: value }));
  for (const { path, message } of wrong) {
    const [field] = path;
    if (field === undefined) continue;
    problems.push({
      path,
      message: path.length === 1 && /pattern/.test(message) ? (forms[field] ?? message) : message,
    });
  }
  for (const required of ["name", "query"]) {
    if (fields[required] === undefined && (!isPartial || nulls.includes(required)))
      problems.push({ path: [required], message: "is missing" });
  }
  for (const { path } of problems) if (path[0] !== undefined) delete fields[path[0]];
  return {
    fields: isPartial ? { ...fields, ...Object.fromEntries(nulls.map((key) => [key, null])) } : fields,
    problems,
  };
}

function unknownField(key: string, known: readonly string[]): FieldProblem {
  const nearest = findNearest(key, known);
  const guess = nearest === undefined ? "" : `; did you mean ${nearest}?`;
  return { path: [key.slice(0, 200)], message: `there is no such field${guess}` };
}

/** The parameters as they were shown, with null for what they do not have. */
function withoutNulls(parameters: unknown): unknown {
  if (typeof parameters !== "object" || parameters === null || Array.isArray(parameters)) return parameters;
  const entries = Object.entries(parameters).map(([key, value]) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [key, value];
    return [key, Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null))];
  });
  return Object.fromEntries(entries);
}

/**
 * The whole document of a definition, with every field; what is not set is null, but for limits. Two definitions are
 * the same exactly when their documents are.
 */
export function describeDefinition(definition: EndpointDefinition): Readonly<Record<string, unknown>> {
  return {
    id: definition.id,
    name: definition.name,
    description: definition.description ?? null,
    query: definition.query,
    ...definition.budget,
    max_rows: definition.maxRows,
    cache_seconds: definition.cacheSeconds,
    warm_every_seconds: definition.warmEverySeconds ?? null,
    sandbox: definition.isSandboxed,
    redact_pii: definition.detectors ?? definition.redactsPii,
    parameters: Object.fromEntries(
      definition.parameters
        .filter(({ isInferred }) => isInferred !== true)
        .map((parameter) => [parameter.name, describeParameter(parameter)]),
    ),
    tenant_parameter: definition.tenantParameter ?? null,
    table_aliases: definition.tableAliases,
    hidden_columns: definition.hiddenColumns ?? [],
    labels: definition.labels,
  };
}
