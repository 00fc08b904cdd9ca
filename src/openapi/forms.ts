import { type Static, type TSchema, Type } from "typebox";
import type { JsonSchema, Parameter } from "./open-api-document.ts";

/** Schemas for descriptions of routes, beside TypeBox's own. */

/** A schema as OpenAPI has it: a schema of TypeBox is one, and more that does not show. */
export function toJsonSchema(schema: TSchema): JsonSchema {
  return schema as JsonSchema;
}

export const text = Type.String();
export const count = Type.Integer();
export const flag = Type.Boolean();
export const texts = Type.Array(text);

/** A value that may be null. */
export function orNull<Schema extends TSchema>(schema: Schema) {
  const { type } = toJsonSchema(schema);
  return Type.Unsafe<Static<Schema> | null>({ ...schema, type: [type, "null"] });
}

/** One of some texts. */
export function oneOf<const Value extends string>(values: readonly Value[]) {
  return Type.Unsafe<Value>({ type: "string", enum: values });
}

/** An object whose keys are any texts. */
export function mapOf<Schema extends TSchema>(schema: Schema, options: object = {}) {
  return Type.Unsafe<Record<string, Static<Schema>>>({ type: "object", additionalProperties: schema, ...options });
}

/** A list of objects. */
export function listOf<Properties extends Readonly<Record<string, TSchema>>>(properties: Properties) {
  return Type.Array(Type.Object(properties));
}

/** A schema of the document by its name. */
export function reference<Schema extends TSchema>(name: string, schema: Schema) {
  const named = Type.Unsafe<Static<Schema>>({ $ref: `#/components/schemas/${name}` });
  // Not enumerable, so that it is not in the document.
  return Object.defineProperty(named, referred, { value: schema });
}

const referred = Symbol("the schema that a reference stands for");

/** The schema itself, where it is given by its name. */
export function resolveReference(schema: TSchema): TSchema {
  return (schema as { readonly [referred]?: TSchema })[referred] ?? schema;
}

/** A row of whatever columns. */
export const AnyRow = Type.Unsafe<object>({ type: "object", additionalProperties: true });
export const anyRow = reference("AnyRow", AnyRow);

/** A parameter in the path. */
export function inPath(name: string, description: string): Parameter {
  return { name, in: "path", required: true, description, schema: toJsonSchema(text) };
}

/** A parameter in the query string, which may be left out. */
export function inQuery(name: string, description: string, schema: TSchema = text): Parameter {
  return { name, in: "query", description, schema: toJsonSchema(schema) };
}

/** Parameters in the query string by their schemas, whose descriptions are theirs. */
export function allInQuery(schemas: Readonly<Record<string, TSchema>>): readonly Parameter[] {
  return Object.entries(schemas).map(([name, schema]) => {
    const { description = "", ...rest } = toJsonSchema(schema);
    return { name, in: "query", description, schema: rest };
  });
}

/** Parameters that several operations have. */
export const ifMatch: Parameter = { $ref: "#/components/parameters/ifMatch" };
export const prefer: Parameter = { $ref: "#/components/parameters/prefer" };
