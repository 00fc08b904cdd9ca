import type { JsonSchema } from "../openapi/open-api-document.ts";

/** A schema as a TypeScript type, for values that are read from JSON. */
export function schemaType(schema: JsonSchema, indent = ""): string {
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1);
  if (schema.enum !== undefined) return unite(schema.enum.map((value) => JSON.stringify(value)));
  if (schema.allOf !== undefined) return schema.allOf.map((each) => schemaType(each, indent)).join(" & ");
  if (schema.anyOf !== undefined) return unite(schema.anyOf.map((each) => schemaType(each, indent)));
  const { type } = schema;
  if (type === undefined) return "unknown";
  return unite((typeof type === "string" ? [type] : type).map((each) => plainType(each, schema, indent)));
}

function plainType(type: string, schema: JsonSchema, indent: string): string {
  switch (type) {
    case "integer":
    case "number":
      return "number";
    case "string":
    case "boolean":
    case "null":
      return type;
    case "array": {
      const items = schemaType(schema.items ?? {}, indent);
      return /[ |]/.test(items) ? `Array<${items}>` : `${items}[]`;
    }
    case "object":
      return objectType(schema, indent);
    default:
      return "unknown";
  }
}

function objectType(schema: JsonSchema, indent: string): string {
  const { properties, required = [], additionalProperties, patternProperties = {} } = schema;
  if (properties === undefined) {
    const others = typeof additionalProperties === "object" ? [additionalProperties] : [];
    const values = [...Object.values(patternProperties), ...others].map((each) => schemaType(each, indent));
    return `Record<string, ${values.length === 0 ? "unknown" : unite(values)}>`;
  }
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(
    ([name, schema]) =>
      `${comment(schema.description, inner)}${inner}${propertyKey(name)}${required.includes(name) ? "" : "?"}: ${schemaType(schema, inner)};\n`,
  );
  return fields.length === 0 ? "Record<string, never>" : `{\n${fields.join("")}${indent}}`;
}

function unite(types: readonly string[]): string {
  const distinct = [...new Set(types)];
  return distinct.includes("unknown") ? "unknown" : distinct.join(" | ");
}

/** A property's name as it stands in an interface. */
export function propertyKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** A comment line above something; nothing where there is no text. */
export function comment(text: string | undefined, indent: string): string {
  // The end of a comment within a description would end the generated one.
  const safe = text?.replaceAll("*/", "* /").replaceAll(/\s+/g, " ").trim();
  return safe === undefined || safe === "" ? "" : `${indent}/** ${safe} */\n`;
}
