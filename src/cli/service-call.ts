import { readClientDefaults } from "../config/config.ts";
import { trimEnd } from "../values/trim-end.ts";
import { CliError, type CommandContext } from "./context.ts";

/** The service is away, or asks to come back: the same call may succeed later. */
export class AwayError extends CliError {}

/** Statuses of a service that is away, restarts or has too much to do, or of a proxy in front of it. */
export function isPassing(status: number): boolean {
  return [429, 502, 503, 504].includes(status);
}

/** A service, and a function to call it. */
export interface ServiceClient {
  readonly url: string;
  /** Like `fetch`, with the token; throws `AwayError` where no service answers. */
  send(path: string, request?: RequestInit): Promise<Response>;
}

/** Where the service is, without a slash at the end. */
export function serviceUrl({ url, environment }: CommandContext): string {
  return trimEnd(url ?? readClientDefaults(environment).url, "/");
}

/** Throws `CliError` where no token is known. */
export function createServiceClient(context: CommandContext): ServiceClient {
  const url = serviceUrl(context);
  const token = context.token ?? readClientDefaults(context.environment).token;
  if (token === undefined) throw new CliError("This needs an access token: --token or LOGWEIR_TOKEN");
  return {
    url,
    async send(path, request = {}) {
      const headers = { ...(request.headers as Record<string, string> | undefined), "x-api-key": token };
      try {
        return await fetch(`${url}${path}`, { ...request, headers });
      } catch {
        throw new AwayError(
          `No service answers at ${url}. Start one with \`logweir serve\`, or name another with --url.`,
        );
      }
    },
  };
}

/** True when a service listens at the address. */
export async function isServiceThere(context: CommandContext): Promise<boolean> {
  return fetch(`${serviceUrl(context)}/health`).then(
    (response) => response.body?.cancel().then(() => true) ?? true,
    () => false,
  );
}

interface ErrorAnswer {
  readonly message: string;
  readonly hint?: string;
  readonly fields?: Readonly<Record<string, readonly string[]>>;
}

/** The message of an error response, with its messages by field and its hint. */
export async function describeAnswer(response: Response): Promise<string> {
  try {
    const { error } = (await response.json()) as { readonly error: ErrorAnswer };
    const fields = Object.entries(error.fields ?? {}).flatMap(([field, texts]) =>
      texts.map((text) => `  ${field}: ${text}`),
    );
    return [error.message, ...fields, ...(error.hint === undefined ? [] : [error.hint])].join("\n");
  } catch {
    return `The service answered ${response.status}`;
  }
}

/** Sends a request. Throws `CliError` with the service's message if it refuses, `AwayError` if only for now. */
export async function askService(client: ServiceClient, path: string, request?: RequestInit): Promise<Response> {
  const response = await client.send(path, request);
  if (response.ok) return response;
  const message = await describeAnswer(response);
  throw isPassing(response.status) ? new AwayError(message) : new CliError(message);
}

/** The bytes of an answer as they arrive. Throws as `askService` does. */
export async function readBytes(
  client: ServiceClient,
  path: string,
  request?: RequestInit,
): Promise<AsyncIterable<Uint8Array>> {
  const { body } = await askService(client, path, request);
  return (body ?? []) as AsyncIterable<Uint8Array>;
}

interface JsonRequest extends Omit<RequestInit, "body" | "headers"> {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; by POST unless `method` is set. */
  readonly body?: object;
}

/** Calls a running service and parses its JSON answer, if it has one. Throws as `askService` does. */
export async function readAnswer<T>(
  context: CommandContext,
  path: string,
  { body, headers = {}, ...request }: JsonRequest = {},
): Promise<T> {
  const sent = {
    method: body === undefined ? "GET" : "POST",
    ...request,
    headers: body === undefined ? headers : { ...headers, "content-type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body),
  };
  const response = await askService(createServiceClient(context), path, sent);
  return (response.status === 204 ? undefined : await response.json()) as T;
}
