import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { resolveReference } from "../../openapi/forms.ts";
import type { AnswerOf, BodyOf, PathParameters, RouteDescription } from "../../openapi/route-description.ts";
import { createDocumentForm, describeTextProblems, refuseDocument } from "../../shared/documents/document-form.ts";
import { readJsonBody, readJsonValue } from "./json-body.ts";
import "./route-access.ts";

/** A request to a described route, with the parameters of its path and its document. */
export type RequestOf<Description extends RouteDescription> = FastifyRequest<{
  Params: PathParameters<Description["path"]>;
  Body: BodyOf<Description>;
}>;

/** Answers a described route: with what its description says, or by the reply itself. */
type Handler<Description extends RouteDescription, Result> = (
  request: RequestOf<Description>,
  reply: FastifyReply,
) => Result | Promise<Result>;

/** Registers a route by its description, under all its paths and methods. */
export type AddRoute = <const Description extends RouteDescription>(
  description: Description,
  handler: Handler<NoInfer<Description>, AnswerOf<NoInfer<Description>> | FastifyReply | undefined>,
) => void;

/**
 * Registers routes by their descriptions: these declare who may call (`callerOf` returns who did), and the schema of
 * the document that is sent, which `request.body` has once it was checked. One that does not fit is refused with
 * `validation_failed` and all its problems by field.
 */
export function createRouteAdder(app: FastifyInstance): AddRoute {
  return (description, handler) => {
    const { method, alsoBy = [], path, aliases = [], scope, isRedacted = false, tokenIn = "request" } = description;
    const { isWebSocket = false } = description;
    const { body, bodyType, hasBodyParameters = false } = description;
    const hasBody = body !== undefined || bodyType !== undefined || hasBodyParameters;
    const preHandler = documentReader(description);
    for (const each of [path, ...aliases]) {
      app.route({
        method: [method, ...alsoBy].map((name) => name.toUpperCase()),
        url: each.replaceAll(/\{(\w+)\}/g, ":$1"),
        config: { access: { scope, isRedacted, tokenIn, hasBody, isWebSocket } },
        ...(preHandler === undefined ? {} : { preHandler }),
        handler: handler as (request: FastifyRequest, reply: FastifyReply) => unknown,
      });
    }
  };
}

type ReadDocument = (request: FastifyRequest) => Promise<void>;

/** Throws `validation_failed` for texts that cannot be stored as they are. */
function refuseTexts({ refusal }: RouteDescription, document: object): void {
  const problems = describeTextProblems(document);
  if (Object.keys(problems).length > 0) throw refuseDocument(refusal ?? "Nothing was changed", problems);
}

/** Puts the document in the place of the bytes that came. */
function documentReader(description: RouteDescription): ReadDocument | undefined {
  const { body, refusal, isCheckedByHandler, hasBodyParameters } = description;
  if (body === undefined || hasBodyParameters === true) return undefined;
  const schema = resolveReference(body);
  // A schema of several forms is of any value.
  if (!("type" in schema)) {
    return async (request) => {
      const value = await readJsonValue(request);
      if (description.scope === "private") refuseTexts(description, { document: value });
      request.body = value;
    };
  }
  const form = isCheckedByHandler === true ? undefined : createDocumentForm(schema);
  return async (request) => {
    const sent = await readJsonBody(request);
    // A document without fields is a message of another protocol, and not stored.
    if (form === undefined && "properties" in schema) refuseTexts(description, sent);
    const read = form?.read(sent) ?? { document: sent };
    if ("problems" in read) throw refuseDocument(refusal ?? "Nothing was changed", read.problems);
    request.body = read.document;
  };
}
