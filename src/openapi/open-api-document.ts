/** The parts of an OpenAPI 3.1 document that are used here (https://spec.openapis.org/oas/v3.1.0). */

/** A JSON schema (2020-12). */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly format?: string;
  readonly contentEncoding?: string;
  readonly pattern?: string;
  readonly enum?: readonly (string | number | boolean)[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
}

export interface Parameter {
  readonly $ref?: string;
  readonly name?: string;
  readonly in?: "query" | "path" | "header";
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: JsonSchema;
}

export interface Header {
  readonly $ref?: string;
  readonly description?: string;
  readonly schema?: JsonSchema;
}

export interface MediaType {
  readonly schema?: JsonSchema;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

export interface RequestBody {
  readonly required?: boolean;
  readonly content: Readonly<Record<string, MediaType>>;
}

/** The extension of an operation that runs an endpoint. */
export interface EndpointExtension {
  readonly endpoint: string;
  readonly id: string;
  readonly version: number;
}

export interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, Response>>;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly "x-logweir"?: EndpointExtension;
}

export type Method = "get" | "post" | "put" | "patch" | "delete";

export type PathItem = Readonly<Partial<Record<Method, Operation>>>;

export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly servers: readonly { readonly url: string }[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>;
  };
}
