import type { FastifyRequest } from "fastify";
import { canIngest, type Identity } from "../../access/scope.ts";
import { ServiceError } from "../../shared/errors.ts";
import type { Source } from "../../sources/source.ts";
import type { AppDependencies } from "../app-context.ts";
import { urlParameters } from "../request/request-parameters.ts";

/** Names under which senders say where events go, the ones that count more first. */
export const sourceNames = ["source_name", "collection_name", "source", "collection"] as const;

type Needs = Pick<AppDependencies, "sources" | "autoSource">;

/**
 * The source that a request names in its URL or headers: by name, alias or id. `ownParameters` are the protocol's,
 * and name no source.
 */
export function nameInRequest(request: FastifyRequest, ownParameters: readonly string[] = []): string | undefined {
  const parameters = urlParameters(request);
  const { "x-source": source, "x-collection": collection } = request.headers;
  const named = [
    ...sourceNames.filter((name) => !ownParameters.includes(name)).map((name) => parameters.get(name)?.at(-1)),
    source?.toString(),
    collection?.toString(),
  ];
  return named.find((name) => name !== undefined && name !== "");
}

/**
 * The source of this name, alias or id, which the identity may write to; made where the settings allow that. Throws
 * `unknown_source`, `insufficient_scope` and `source_read_only`.
 */
export async function openSource({ sources, autoSource }: Needs, identity: Identity, name: string): Promise<Source> {
  const known = sources.find(name);
  // What a token may not write to, it cannot have made either.
  if (known === undefined && !canIngest(identity, [name])) throw unknownSource(name);
  const source = known ?? (await autoSource?.(name, identity.tokenId));
  if (source === undefined) throw unknownSource(name);
  if (!canIngest(identity, [source.name, ...source.aliases])) throw noScope();
  if (source.origin?.kind === "service") {
    throw new ServiceError("source_read_only", `The source ${source.name} is written by the service alone`, {
      hint: "Send events to another source.",
    });
  }
  return source;
}

export function missingSource(): ServiceError {
  return new ServiceError("missing_parameter", "The parameter source_name is required: it names the events' source", {
    parameter: "source_name",
    hint: "Send it in the URL, or as the header X-Source.",
  });
}

function unknownSource(name: string): ServiceError {
  return new ServiceError("unknown_source", `There is no source ${name.slice(0, 200)}`, {
    parameter: "source_name",
    hint:
      "Make it: logweir source create NAME, POST /api/sources, or a file in sources/. LOGWEIR_AUTO_SOURCES " +
      "makes sources on first use.",
  });
}

function noScope(): ServiceError {
  return new ServiceError("insufficient_scope", "The access token has no scope to write to this source");
}
