import type { FastifyRequest } from "fastify";
import { parseJson } from "../../engines/contract/parse-json.ts";
import { mediaTypeOf } from "../../ingest/parse-events.ts";
import { unpackBody } from "../../ingest/unpack-body.ts";
import { ServiceError } from "../../shared/errors.ts";
import { checkValueCount, formOf } from "./json-body.ts";
import { parseQueryText, type TextParameters } from "./query-text.ts";

/** Every value that a request carries for a name: those of the URL first, then the body's. The last one counts. */
export type SentParameters = ReadonlyMap<string, readonly unknown[]>;

/** The parameters in the URL. */
export function urlParameters(request: FastifyRequest): TextParameters {
  return (request.query as { readonly values: TextParameters }).values;
}

/**
 * The parameters of a call: of the URL, and of a body that is a JSON object or a form. The body of a GET counts only
 * where it is JSON and the URL has neither sql nor lql. Throws `invalid_body`, `unsupported_media_type`, and
 * `body_too_large` or `request_too_large` for too many.
 */
export async function readParameters(request: FastifyRequest, maxBodyBytes: number): Promise<SentParameters> {
  const fromUrl = urlParameters(request);
  const { body } = request;
  if (!(body instanceof Uint8Array) || body.length === 0) return fromUrl;
  const mediaType = mediaTypeOf(request.headers["content-type"]);
  const isJson = mediaType === "application/json" || mediaType.endsWith("+json");
  if (request.method !== "POST" && (!isJson || fromUrl.has("sql") || fromUrl.has("lql"))) return fromUrl;
  const bytes = await unpackBody(body, formOf(request), maxBodyBytes);
  const text = new TextDecoder().decode(bytes);
  const merged = new Map<string, readonly unknown[]>(fromUrl);
  for (const [name, values] of readText(text, isJson, mediaType)) {
    merged.set(name, [...(merged.get(name) ?? []), ...values]);
  }
  return merged;
}

function readText(text: string, isJson: boolean, mediaType: string): Iterable<readonly [string, readonly unknown[]]> {
  if (isJson) return readJsonObject(text);
  if (mediaType === "application/x-www-form-urlencoded") return parseQueryText(text).values;
  throw new ServiceError(
    "unsupported_media_type",
    "A body of parameters is application/json or application/x-www-form-urlencoded",
  );
}

/** The last value of a name, where that is a text. */
export function lastText(values: readonly unknown[] | undefined): string | undefined {
  const value = values?.at(-1);
  return typeof value === "string" ? value : undefined;
}

function readJsonObject(text: string): [string, unknown[]][] {
  checkValueCount(text);
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    throw new ServiceError("invalid_body", "The body is not valid JSON", { cause: error });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ServiceError("invalid_body", "The body must be a JSON object whose keys are parameters");
  }
  return Object.entries(value).map(([name, each]) => [name, [each]]);
}
