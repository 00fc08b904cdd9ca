import type { Static, TSchema } from "typebox";
import type { RouteScope, TokenPlace } from "../access/route-scope.ts";
import type { ErrorCode } from "../shared/error-catalogue.ts";
import type { Method, Parameter } from "./open-api-document.ts";

/** The input and output of a route, defined once: the route is registered, validated and documented from this. */
export interface RouteDescription {
  /** The operation's id in the OpenAPI document. */
  readonly id: string;
  readonly method: Method;
  /** With its parameters in braces: `/api/views/{id}`. */
  readonly path: string;
  /** Other paths, and other methods, that do the same. The document does not report them. */
  readonly aliases?: readonly string[];
  readonly alsoBy?: readonly Method[];
  readonly summary: string;
  readonly tag: string;
  readonly scope: RouteScope;
  /**
   * For a route of the scope `private`: true if it returns events' texts only redacted, and creates nothing that would
   * return them, so that it is open to tokens that must see redacted data too. They are refused unless set.
   */
  readonly isRedacted?: boolean;
  /** In the request's headers or URL unless set. */
  readonly tokenIn?: TokenPlace;
  readonly parameters?: readonly Parameter[];
  /** A JSON body: a document that the schema checks before the handler runs. */
  readonly body?: TSchema;
  /** Media type of a body that is no document: the handler gets its bytes as they came. */
  readonly bodyType?: string;
  /** The effect of a refused document, as in "The view was not saved". */
  readonly refusal?: string;
  /**
   * True where the handler checks the document by its schema, together with what no schema can say: with older names of
   * fields, or what the caller may ask for.
   */
  readonly isCheckedByHandler?: boolean;
  /** True where the parameters may also be sent as a body: a JSON object, or a form. */
  readonly hasBodyParameters?: boolean;
  /** True where the caller asks for a WebSocket. */
  readonly isWebSocket?: boolean;
  /** The status of a successful answer. */
  readonly status: number;
  /** A JSON answer; absent where there is no body, or another one. */
  readonly answer?: TSchema;
  /** Media type of an answer that is not JSON. */
  readonly mediaType?: string;
  readonly errors?: readonly ErrorCode[];
}

/** A description as it is written: a GET unless `method` is set, answered 200, or 204 where there is no answer. */
type WrittenRoute = Omit<RouteDescription, "id" | "method" | "status"> &
  Partial<Pick<RouteDescription, "method" | "status">>;

/** Descriptions by their ids. */
export function describeRoutes<const Routes extends Readonly<Record<string, WrittenRoute>>>(
  routes: Routes,
): {
  readonly [Id in keyof Routes]: Routes[Id] & {
    readonly id: Id & string;
    readonly method: Routes[Id] extends { readonly method: infer Written extends Method } ? Written : "get";
    readonly status: number;
  };
} {
  const described = Object.entries(routes).map(([id, route]) => {
    const hasAnswer = route.answer !== undefined || route.mediaType !== undefined;
    return [id, { method: "get", status: hasAnswer ? 200 : 204, ...route, id }];
  });
  return Object.fromEntries(described);
}

/** The parameters in a path, by name: those of `/api/views/{id}` are `{ id: string }`. */
export type PathParameters<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [Key in Name]: string } & PathParameters<Rest>
  : unknown;

/** The document that a described route is sent: as its schema has it, where that checks it. */
export type BodyOf<Description extends RouteDescription> = Description extends { readonly isCheckedByHandler: true }
  ? Readonly<Record<string, unknown>>
  : Description extends { readonly body: infer Body }
    ? Shown<Body & TSchema>
    : unknown;

/** The type of a described route's JSON answer; `undefined` for another media type. */
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

/** The service as its document describes it, its endpoints aside. */
export interface ServiceDescription {
  readonly routes: readonly RouteDescription[];
  /** Schemas that routes refer to by name. */
  readonly schemas: Readonly<Record<string, TSchema>>;
}
