import { privateToken, type Service } from "./service.ts";

/** An answer of the management API. */
export interface Managed {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** Calls the management API with the private token; a body goes as JSON. */
export async function manage(
  { url }: Service,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Managed> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { "x-api-key": privateToken, "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const parsed = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
  return { status: response.status, headers: response.headers, body: parsed };
}

/** Creates an endpoint and returns it; throws when that is refused. */
export async function create(service: Service, document: object): Promise<Record<string, unknown>> {
  const { status, body } = await manage(service, "POST", "/api/endpoints", document);
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}

/** The texts by field of a save that was refused. */
export function fieldsOf({ status, body }: Managed): Record<string, string[]> {
  const { error } = body as { error?: { code: string; fields?: Record<string, string[]> } };
  if (status !== 422 || error?.code !== "validation_failed") throw new Error(`${status} ${JSON.stringify(body)}`);
  return error.fields ?? {};
}

/** The code of an answer that is an error. */
export function codeOf({ status, body }: Managed): string {
  return `${status} ${(body as { error?: { code: string } }).error?.code}`;
}
