import { readClientDefaults } from "../config/config.ts";
import { trimEnd } from "../values/trim-end.ts";
import { type CliContext, CliError } from "./context.ts";

/** The address and token of the service; the defaults are LOGWEIR_URL and LOGWEIR_TOKEN. */
export interface ServiceOptions {
  readonly url?: string;
  readonly token?: string;
}

/** A service, and a function to call it. */
export interface ServiceClient {
  readonly url: string;
  /** Like `fetch`, with the token; throws `CliError` where no service answers. */
  send(path: string, request?: RequestInit): Promise<Response>;
}

/** Where the service is, without a slash at the end. */
export function serviceUrl(options: ServiceOptions, context: CliContext): string {
  return trimEnd(options.url ?? readClientDefaults(context.environment).url, "/");
}

/** Throws `CliError` where no token is known. */
export function createServiceClient(options: ServiceOptions, context: CliContext): ServiceClient {
  const url = serviceUrl(options, context);
  const token = options.token ?? readClientDefaults(context.environment).token;
  if (token === undefined) throw new CliError("This needs an access token: --token or LOGWEIR_TOKEN");
  return {
    url,
    async send(path, request = {}) {
      const headers = { ...(request.headers as Record<string, string> | undefined), "x-api-key": token };
      try {
        return await fetch(`${url}${path}`, { ...request, headers });
      } catch {
        throw new CliError(
          `No service answers at ${url}. Start one with \`logweir serve\`, or name another with --url.`,
        );
      }
    },
  };
}

/** True when a service listens at the address. */
export async function isServiceThere(options: ServiceOptions, context: CliContext): Promise<boolean> {
  const url = serviceUrl(options, context);
  return fetch(`${url}/health`).then(
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

/** Parses a running service's JSON answer. Throws `CliError` with the service's message if it refuses. */
export async function readAnswer<T>(
  path: string,
  options: ServiceOptions,
  context: CliContext,
  request?: RequestInit,
): Promise<T> {
  const response = await createServiceClient(options, context).send(path, request);
  if (!response.ok) throw new CliError(await describeAnswer(response));
  return (await response.json()) as T;
}
