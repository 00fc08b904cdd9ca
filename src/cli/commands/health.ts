import { type CliContext, CliError, print, printJson } from "../context.ts";
import { type ServiceOptions, serviceUrl } from "../service-call.ts";

const timeoutMs = 5_000;

/**
 * Asks a service whether it works; needs no token. Throws `CliError`, which ends the command with 1, where it does
 * not.
 */
export async function checkHealth(
  options: ServiceOptions & { readonly json?: boolean },
  context: CliContext,
): Promise<void> {
  const url = serviceUrl(options, context);
  const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(timeoutMs) }).catch(() => undefined);
  const text = await response?.text();
  if (options.json === true) printJson(context.output, { url, status: response?.status ?? null });
  if (response === undefined) throw new CliError(`No service answers at ${url}`);
  if (!response.ok)
    throw new CliError(`The service at ${url} does not work: ${response.status} ${text?.slice(0, 500)}`);
  if (options.json === true) return;
  const { reasons } = JSON.parse(text ?? "{}") as { readonly reasons?: readonly string[] };
  const but = reasons === undefined ? "" : `, but is degraded: ${reasons.join("; ")}`;
  print(context.output, `The service at ${url} works${but}`);
}
