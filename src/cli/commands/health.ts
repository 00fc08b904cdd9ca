import { CliError, type CommandContext, print, printJson } from "../context.ts";
import { serviceUrl } from "../service-call.ts";

const timeoutMs = 5_000;

/**
 * Asks a service whether it works; needs no token. Throws `CliError`, which ends the command with 1, where it does
 * not.
 */
export async function checkHealth(context: CommandContext): Promise<void> {
  const url = serviceUrl(context);
  const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(timeoutMs) }).catch(() => undefined);
  const text = await response?.text();
  if (context.json === true) printJson(context.output, { url, status: response?.status ?? null });
  if (response === undefined) throw new CliError(`No service answers at ${url}`);
  if (!response.ok)
    throw new CliError(`The service at ${url} does not work: ${response.status} ${text?.slice(0, 500)}`);
  if (context.json === true) return;
  const { reasons } = JSON.parse(text ?? "{}") as { readonly reasons?: readonly string[] };
  const but = reasons === undefined ? "" : `, but is degraded: ${reasons.join("; ")}`;
  print(context.output, `The service at ${url} works${but}`);
}
