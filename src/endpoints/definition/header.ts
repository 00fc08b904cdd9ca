import { type Static, Type } from "typebox";
import { detectorNames } from "../../redaction/detector.ts";
import { type LimitName, limitDefinitions } from "../../shared/budget.ts";
import { parameterTypes } from "./definition.ts";

const scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);
const limit = (name: LimitName) => {
  const { minimum, maximum } = limitDefinitions[name];
  return Type.Optional(Type.Integer({ minimum, maximum }));
};
const maxDescriptionLength = 10_000;
const identifier = "^[A-Za-z_][A-Za-z0-9_]{0,127}$";
const identifierPattern = new RegExp(identifier);

/** True for the form that names of parameters and tables have: an identifier of GoogleSQL that needs no quotes. */
export function isIdentifier(text: string): boolean {
  return identifierPattern.test(text);
}

/** The form of table aliases: names of sources have dots and dashes too. */
const aliasPattern = "^[A-Za-z_][A-Za-z0-9_.-]{0,127}$";
const alias = new RegExp(aliasPattern);

/** True for the form that table aliases have. */
export function isAlias(text: string): boolean {
  return alias.test(text);
}

const uuidPattern = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$";
const uuid = new RegExp(uuidPattern);

/** True for the form that ids have. */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}

const ParameterHeader = Type.Object(
  {
    type: Type.Optional(Type.Enum([...parameterTypes])),
    required: Type.Optional(Type.Boolean()),
    allowed: Type.Optional(Type.Array(scalar, { minItems: 1 })),
    default: Type.Optional(scalar),
    description: Type.Optional(Type.String({ maxLength: maxDescriptionLength })),
  },
  { additionalProperties: false },
);

/** The YAML header of an endpoint file. */
export const EndpointHeader = Type.Object(
  {
    id: Type.String({ pattern: uuidPattern }),
    name: Type.Optional(Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$" })),
    description: Type.Optional(Type.String({ maxLength: maxDescriptionLength })),
    query_timeout_ms: limit("query_timeout_ms"),
    max_rows: limit("max_rows"),
    max_result_bytes: limit("max_result_bytes"),
    max_query_memory_mb: limit("max_query_memory_mb"),
    max_array_elements: limit("max_array_elements"),
    max_string_bytes: limit("max_string_bytes"),
    max_query_characters: limit("max_query_characters"),
    max_query_depth: limit("max_query_depth"),
    cache_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 31_536_000 })),
    warm_every_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 31_536_000 })),
    sandbox: Type.Optional(Type.Boolean()),
    redact_pii: Type.Optional(
      Type.Union([Type.Boolean(), Type.Array(Type.Enum([...detectorNames]), { minItems: 1, uniqueItems: true })]),
    ),
    parameters: Type.Optional(
      Type.Record(Type.String({ pattern: identifier }), Type.Union([ParameterHeader, Type.Null()])),
    ),
    tenant_parameter: Type.Optional(Type.String({ pattern: identifier })),
    table_aliases: Type.Optional(
      Type.Record(Type.String({ pattern: aliasPattern }), Type.String({ pattern: identifier })),
    ),
    hidden_columns: Type.Optional(Type.Array(Type.String({ pattern: identifier }), { uniqueItems: true })),
    labels: Type.Optional(Type.Record(Type.String(), Type.String({ maxLength: maxDescriptionLength }))),
  },
  { additionalProperties: false },
);

export type EndpointHeader = Static<typeof EndpointHeader>;
export type ParameterHeader = Static<typeof ParameterHeader>;

/** Request parameters with a meaning of their own: no endpoint may declare one of these names. */
export const reservedParameters: readonly string[] = ["sql", "lql", "limit", "cursor", "format", "api_key"];

/** Where the header and the query stand in an endpoint file. */
export interface HeaderParts {
  readonly yaml: string;
  readonly yamlStart: number;
  readonly queryStart: number;
}

const opening = /^\uFEFF?\s*\/\*[ \t]*---[ \t]*\r?\n/;
const closing = /^---[ \t]*\*\/[ \t]*(?:\r?\n|$)/m;

/**
 * Takes an endpoint file apart: it begins with the line `/*---`, the YAML header follows, then a line that closes the
 * comment with `---` before the asterisk, then the query. Undefined when the text does not have this form.
 */
export function splitHeader(text: string): HeaderParts | undefined {
  const start = opening.exec(text);
  if (start === null) return undefined;
  const yamlStart = start[0].length;
  const rest = text.slice(yamlStart);
  const end = closing.exec(rest);
  if (end === null) return undefined;
  return { yaml: rest.slice(0, end.index), yamlStart, queryStart: yamlStart + end.index + end[0].length };
}
