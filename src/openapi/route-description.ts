import type { Static, TSchema } from "typebox";
import type { ErrorCode } from "../shared/error-catalogue.ts";
import type { Method, Parameter } from "./open-api-document.ts";

/** The callers of a route: tokens with one of these scopes, any valid token, or also callers without one. */
export type RouteScope = "private" | "query" | "ingest" | "metrics" | "any" | "anybody";

/** The input and output of a route, defined once: the route is registered, validated and documented from this. */
export interface RouteDescription {
  /** The operation's id in the OpenAPI document. */
  readonly id: string;
  readonly method: Method;
  /** With its parameters in braces: `/api/views/{id}`. */
  readonly path: string;
  /** Other paths, and other methods, that do the same. The document does not tell of them. */
  readonly aliases?: readonly string[];
  readonly alsoBy?: readonly Method[];
  readonly summary: string;
  readonly tag: string;
  readonly scope: RouteScope;
  readonly parameters?: readonly Parameter[];
  /** A JSON body. */
  readonly body?: TSchema;
  /** Of an answer that is no error. */
  readonly status: number;
  /** A JSON answer; absent where there is no body, or another one. */
  readonly answer?: TSchema;
  /** Media type of an answer that is not JSON. */
  readonly mediaType?: string;
  readonly errors?: readonly ErrorCode[];
}

/** Descriptions by their ids. */
export function describeRoutes<const Routes extends Readonly<Record<string, Omit<RouteDescription, "id">>>>(
  routes: Routes,
): { readonly [Id in keyof Routes]: Routes[Id] & { readonly id: Id & string } } {
  const described = Object.entries(routes).map(([id, route]) => [id, { ...route, id }]);
  return Object.fromEntries(described);
}

/** The parameters in a path, by name: those of `/api/views/{id}` are `{ id: string }`. */
export type PathParameters<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [Key in Name]: string } & PathParameters<Rest>
  : unknown;

/** What a described route answers in JSON; `undefined` where it answers something else. */
export type AnswerOf<Description extends RouteDescription> = Description extends { readonly answer: infer Answer }
  ? Shown<Answer & TSchema>
  : undefined;

/** A value that fits a schema, as its readers see it. */
export type Shown<Schema extends TSchema> = ReadonlyDeep<Static<Schema>>;

type ReadonlyDeep<T> = T extends readonly (infer Element)[]
  ? readonly ReadonlyDeep<Element>[]
  : T extends object
    ? { readonly [Key in keyof T]: ReadonlyDeep<T[Key]> }
    : T;

/** The service as its document tells of it, its endpoints aside. */
export interface ServiceDescription {
  readonly routes: readonly RouteDescription[];
  /** Schemas that routes refer to by name. */
  readonly schemas: Readonly<Record<string, TSchema>>;
}
