import type { FastifyRequest } from "fastify";
import { mediaTypeOf } from "../../ingest/parse-events.ts";
import { type BodyForm, unpackBody } from "../../ingest/unpack-body.ts";
import { ServiceError } from "../../shared/errors.ts";
import { holdsMoreValues } from "../../values/json/split-json.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** The maximum size of bodies, both as sent and decompressed. */
    readonly maxBodyBytes: number;
  }
}

/** How a request says that its body is written. */
export function formOf({ headers }: Pick<FastifyRequest, "headers">): BodyForm {
  return { contentType: headers["content-type"], contentEncoding: headers["content-encoding"] };
}

/** The limit of a body that is read on the request loop: no document needs more, and many would hold up everybody. */
const maxValues = 50_000;

/** Throws `body_too_large` for a JSON text of too many values. */
export function checkValueCount(json: string): void {
  if (holdsMoreValues(json, maxValues)) {
    throw new ServiceError("body_too_large", `The body has more than ${maxValues} values`);
  }
}

/** The JSON object that a request's body is. Throws as `readJsonValue` does, and `invalid_body` for another value. */
export async function readJsonBody(
  request: FastifyRequest,
  parse?: (text: string) => unknown,
): Promise<Readonly<Record<string, unknown>>> {
  const value = await readJsonValue(request, parse);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ServiceError("invalid_body", "The body must be a JSON object");
  }
  return value as Readonly<Record<string, unknown>>;
}

/**
 * The JSON value that a request's body is; an empty body counts as an empty object. Throws `unsupported_media_type`
 * for another content type, `body_too_large` for too many values, and `invalid_body` for what is no JSON. curl and
 * others call every body a form where nobody said otherwise, so a form is read as JSON too.
 */
export async function readJsonValue(
  request: FastifyRequest,
  parse: (text: string) => unknown = JSON.parse,
): Promise<unknown> {
  const { body, headers, server } = request;
  if (!(body instanceof Uint8Array) || body.length === 0) return {};
  const mediaType = mediaTypeOf(headers["content-type"] ?? "application/json");
  const isForm = mediaType === "application/x-www-form-urlencoded";
  if (!isForm && mediaType !== "application/json" && !mediaType.endsWith("+json")) {
    throw new ServiceError("unsupported_media_type", "The body must be application/json", {
      hint: "Send the header Content-Type: application/json.",
    });
  }
  const bytes = await unpackBody(body, formOf(request), server.maxBodyBytes);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    checkValueCount(text);
    return parse(text);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError("invalid_body", "The body is not valid JSON", {
      cause: error,
      ...(isForm ? { hint: "Send JSON, with the header Content-Type: application/json." } : {}),
    });
  }
}
