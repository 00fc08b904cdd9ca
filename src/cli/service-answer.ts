import { type CliContext, CliError } from "./context.ts";
import { createServiceClient, describeAnswer, type ServiceOptions } from "./service-call.ts";

/** What a running service answers, from JSON. Throws `CliError` with the service's message where it refuses. */
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
