import type { FastifyRequest } from "fastify";
import { decompress } from "../../ingest/decompress.ts";
import { ServiceError } from "../../shared/errors.ts";

/**
 * The JSON object that a request's body is; an empty body counts as an empty object. Throws `unsupported_media_type`
 * for another content type, and `invalid_body` for what is no JSON, or JSON but no object. curl and others call every
 * body a form where nobody said otherwise, so a form is read as JSON too.
 */
export async function readJsonBody(
  request: FastifyRequest,
  maxBodyBytes: number,
): Promise<Readonly<Record<string, unknown>>> {
  const { body, headers } = request;
  if (!(body instanceof Uint8Array) || body.length === 0) return {};
  const mediaType = (headers["content-type"] ?? "application/json").split(";")[0]?.trim().toLowerCase() ?? "";
  const isForm = mediaType === "application/x-www-form-urlencoded";
  if (!isForm && mediaType !== "application/json" && !mediaType.endsWith("+json")) {
    throw new ServiceError("unsupported_media_type", "The body must be application/json", {
      hint: "Send the header Content-Type: application/json.",
    });
  }
  const bytes = await decompress(body, headers["content-encoding"] ?? "", maxBodyBytes);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw new ServiceError("invalid_body", "The body is not valid JSON", {
      cause: error,
      ...(isForm ? { hint: "Send JSON, with the header Content-Type: application/json." } : {}),
    });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ServiceError("invalid_body", "The body must be a JSON object");
  }
  return value as Readonly<Record<string, unknown>>;
}
