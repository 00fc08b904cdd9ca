import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Authenticator } from "../../access/authenticator.ts";
import { admits, refusals } from "../../access/route-scope.ts";
import { type Identity, isOwner } from "../../access/scope.ts";
import { ServiceError } from "../../shared/errors.ts";
import type { AppDependencies } from "../app-context.ts";
import { findSenderSecret } from "../ingest/credentials.ts";
import { createTimings, type Timings } from "../observe/timings.ts";
import { checkEveryMs, createCallWatch } from "../request/call-watch.ts";
import { type CallingPerson, findPerson, foreignPage, isOwnPage } from "../request/find-person.ts";
import type { TextParameters } from "../request/query-text.ts";
import { lastText, readParameters, urlParameters } from "../request/request-parameters.ts";
import type { RegisteredRoute, RouteAccess } from "../request/route-access.ts";

declare module "fastify" {
  interface FastifyRequest {
    timings: Timings;
    /** The token that was sent, or the value of a session; undefined for a person whom a proxy names. */
    secret: string | undefined;
    isOfPerson: boolean;
    /** Who calls unless a token is in the body, which is still to be read. */
    person: CallingPerson | undefined;
    /** Gives back the place of a body that is read for the token in it. */
    releaseBody: (() => void) | undefined;
  }
}

/** A longer body is not searched for a token, nor is an encoded one or one of unknown length. */
const maxTokenBodyBytes = 8_192;
/** Bodies of callers without a token that are read at a time: half a megabyte, and as much on routes open to all. */
const maxBodies = 64;

type Needs = Pick<AppDependencies, "authenticator" | "runner" | "signIn">;

/**
 * Lets callers through as each route declares (`RouteAccess`), before anything of a body is read, and leaves who they
 * are in `request.identity`. The exception is a token that can only be in a body of parameters: such bodies are short,
 * few at a time, and read before the route's own work. So are all bodies of routes that are open to everybody. Throws
 * when a route is registered without a declaration.
 */
export function addAuthentication(app: FastifyInstance, { authenticator, runner, signIn }: Needs): void {
  checkDeclarations(app);
  app.decorateRequest("identity");
  app.decorateRequest("timings");
  app.decorateRequest("releaseBody");
  app.decorateRequest("secret");
  app.decorateRequest("isOfPerson", false);
  app.decorateRequest("person");
  app.decorateRequest("reads");
  app.decorateRequest("isTail", false);
  watchCalls(app, authenticator);
  const [tokenBodies, openBodies] = [createBodyBudget(maxBodies), createBodyBudget(maxBodies)];
  const identify = (request: FastifyRequest, access: RouteAccess, secret: string | undefined) =>
    request.timings.measureWaiting("auth", async () => {
      request.secret = secret;
      const identity = await authenticate(authenticator, request, secret);
      request.identity = admitted(access, identity);
    });
  /** Lets a person through, by whose browser the call came. */
  const identifyPerson = (request: FastifyRequest, access: RouteAccess, { identity, secret }: CallingPerson) => {
    request.logNotes.tokenId = identity.tokenId;
    if (!isOwnPage(request)) throw foreignPage();
    request.isOfPerson = true;
    request.secret = secret;
    request.identity = admitted(access, identity);
  };

  app.addHook("onRequest", async (request, reply) => {
    request.timings = createTimings(runner.now);
    const access = accessOf(request);
    if (access.scope === "anybody") {
      if (!access.hasBody) return;
      if (!isShortBody(request)) throw tooLongForAnybody();
      request.releaseBody = openBodies.take(reply);
      return;
    }
    const secret = secretOf(request, access);
    const person = secret === undefined && signIn !== undefined ? await findPerson(signIn, request) : undefined;
    if (secret === undefined && access.tokenIn === "parameters" && isShortBody(request)) {
      if (person === undefined) request.releaseBody = tokenBodies.take(reply);
      request.person = person;
      return;
    }
    if (person !== undefined) return identifyPerson(request, access, person);
    await identify(request, access, secret);
  });
  addPrivateAnswers(app);
  app.addHook("preHandler", async (request) => {
    const access = accessOf(request);
    if (request.identity !== undefined) return;
    request.releaseBody?.();
    if (access.scope === "anybody") return;
    const sent = await readParameters(request, maxTokenBodyBytes);
    const { person } = request;
    if (person !== undefined && !sent.has("api_key")) return identifyPerson(request, access, person);
    await identify(request, access, lastText(sent.get("api_key")));
  });
}

/** Calls that run while their token is revoked, or ends, or what they may read changes, are ended. */
function watchCalls(app: FastifyInstance, authenticator: Authenticator): void {
  const calls = createCallWatch(authenticator);
  app.decorate("callWatch", calls);
  let isChecking = false;
  const timer = setInterval(() => {
    if (isChecking) return;
    isChecking = true;
    void calls.check().finally(() => {
      isChecking = false;
    });
  }, checkEveryMs).unref();
  app.addHook("onClose", async () => clearInterval(timer));
}

/** Lists the routes, each of which has to declare who may call it. */
function checkDeclarations(app: FastifyInstance): void {
  const routes: RegisteredRoute[] = [];
  app.decorate("registeredRoutes", routes);
  app.addHook("onRoute", ({ method, url, config }) => {
    const methods = [method].flat();
    if (config?.access === undefined) {
      throw new Error(`The route ${methods.join(", ")} ${url} does not declare who may call it: config.access`);
    }
    routes.push({ methods, url, access: config.access });
  });
}

/**
 * Keeps answers out of caches unless their route says for how long they count, and to whom: those without a word may be
 * kept by any. Those to people are in none, not even their browser's, which could show them to whoever signs in next.
 */
function addPrivateAnswers(app: FastifyInstance): void {
  app.addHook("onSend", (request, reply, payload, done) => {
    if (request.isOfPerson || !reply.hasHeader("Cache-Control")) reply.header("Cache-Control", "no-store");
    done(null, payload);
  });
}

/** The declaration of a request's route. Throws `internal` for a route that escaped the check at its registration. */
export function accessOf(request: FastifyRequest): RouteAccess {
  const { access } = request.routeOptions.config;
  if (access === undefined) throw new ServiceError("internal", "The route does not declare who may call it");
  return access;
}

function secretOf(request: FastifyRequest, { tokenIn }: RouteAccess): string | undefined {
  const parameters = urlParameters(request);
  return tokenIn === "sender" ? findSenderSecret(request, parameters) : findSecret(request, parameters);
}

function admitted({ scope, isRedacted }: RouteAccess, identity: Identity): Identity {
  if (scope === "private" && isRedacted !== true && identity.redaction === "required" && isOwner(identity)) {
    throw new ServiceError("insufficient_scope", "This token must see redacted data, which this call does not redact", {
      hint: "Read through an endpoint, or as source:NAME; only tokens that may see all data make endpoints and drains.",
    });
  }
  if (admits(scope, identity)) return identity;
  throw new ServiceError("insufficient_scope", scope === "any" || scope === "anybody" ? "" : refusals[scope]);
}

/** True for a body that may be read before it is known who calls. */
function isShortBody({ headers }: FastifyRequest): boolean {
  const length = Number(headers["content-length"] ?? 0);
  return length > 0 && length <= maxTokenBodyBytes && headers["content-encoding"] === undefined;
}

function tooLongForAnybody(): ServiceError {
  const message = `The body must have a Content-Length of 1 to ${maxTokenBodyBytes} and no Content-Encoding`;
  return new ServiceError("body_too_large", message);
}

/** Limits how many bodies of callers without a token are read at a time. */
interface BodyBudget {
  /**
   * Takes a place for one body, until the answer is over. Where none is free, the body that has taken longest to come
   * gives way, and its connection is closed: no number of slow callers keeps out one whose body follows its headers.
   * The returned function gives the place back before, once.
   */
  take(reply: FastifyReply): () => void;
}

function createBodyBudget(places: number): BodyBudget {
  const held = new Set<FastifyReply>();
  return {
    take(reply) {
      const [slowest] = held;
      if (held.size >= places && slowest !== undefined) {
        held.delete(slowest);
        slowest.raw.destroy();
      }
      held.add(reply);
      const release = () => void held.delete(reply);
      reply.raw.once("close", release);
      return release;
    },
  };
}

/**
 * The token of a request: `X-API-KEY`, else `Authorization: Bearer`, else the parameter `api_key`. The first that is
 * there decides, even when it is not valid.
 */
function findSecret(request: FastifyRequest, parameters: TextParameters): string | undefined {
  const apiKey = request.headers["x-api-key"];
  if (apiKey !== undefined) return Array.isArray(apiKey) ? apiKey[0] : apiKey;
  const bearer = /^Bearer +(.*)$/i.exec(request.headers.authorization ?? "")?.[1];
  return bearer ?? parameters.get("api_key")?.at(-1);
}

/**
 * The identity of a request. Throws `unauthorized` without a token, and with one that is unknown, expired or revoked.
 */
async function authenticate(
  authenticator: Authenticator,
  request: FastifyRequest,
  secret: string | undefined,
): Promise<Identity> {
  if (secret === undefined || secret === "") throw new ServiceError("unauthorized", "This call needs an access token");
  const identity = await authenticator.authenticate(secret);
  if (identity === undefined) throw new ServiceError("unauthorized", "The access token is not valid");
  request.logNotes.tokenId = identity.tokenId;
  return identity;
}
