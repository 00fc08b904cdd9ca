import type { FastifyInstance, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { describeParameterType, parseParameterValue } from "../../../endpoints/definition/parameter-value.ts";
import type { EventFilter } from "../../../engines/contract/query-engine.ts";
import { count, flag, inQuery } from "../../../openapi/forms.ts";
import { describeRoutes } from "../../../openapi/route-description.ts";
import { invalidParameter, ServiceError } from "../../../shared/errors.ts";
import { omitUndefined } from "../../../shared/omit-undefined.ts";
import type { Source } from "../../../sources/source.ts";
import type { AppContext } from "../../app-context.ts";
import { createRouteAdder } from "../../request/add-route.ts";
import { urlParameters } from "../../request/request-parameters.ts";
import { callerOf } from "../../request/route-access.ts";
import { findSource, sourceInPath } from "./sources.ts";

type Dependencies = Required<Pick<AppContext, "sources" | "forgetting" | "audit">>;

const filterNames = ["tenant", "from", "to", "id"] as const;
const parameterNames: ReadonlySet<string> = new Set([...filterNames, "dry_run", "api_key"]);

// Not open to tokens that must see redacted data: counts reveal whether an id or a tenant is stored.
export const deleteEventsRoutes = describeRoutes({
  deleteEvents: {
    tag: "sources",
    scope: "private",
    method: "delete",
    path: "/api/sources/{source}/events",
    summary: "Delete the events of a source that pass all filters, of which at least one is required",
    parameters: [
      sourceInPath,
      inQuery("tenant", "Events of this tenant"),
      inQuery("from", "A timestamp; events from then on"),
      inQuery("to", "A timestamp; events before it"),
      inQuery("id", "The event with this id"),
      inQuery("dry_run", "If true, events are counted and none is deleted", flag),
    ],
    answer: Type.Object({
      matched: Type.Integer({ description: "Events that passed the filters when the deletion began" }),
      deleted: count,
    }),
    errors: ["invalid_parameter", "unknown_source", "source_read_only", "engine_unavailable"],
  },
});

/** `DELETE /api/sources/{source}/events`, for owners (scope `private`). It goes on if its caller leaves. */
export function addDeleteEventsRoute(app: FastifyInstance, dependencies: Dependencies): void {
  const { sources, forgetting, audit } = dependencies;
  createRouteAdder(app)(deleteEventsRoutes.deleteEvents, async (request) => {
    const source = findSource(sources, request.params.source);
    if (source.origin?.kind === "service") {
      throw new ServiceError("source_read_only", `The source ${source.name} is the service's own`, {
        hint: "The configuration says how long its events are kept.",
      });
    }
    const { filter, isDryRun, sent } = readCall(request, source);
    const note = (details: object, error?: string) =>
      audit.record({
        action: "events.delete",
        actor: callerOf(request).tokenId,
        target: source.name,
        details: { ...sent, dry_run: isDryRun, ...details },
        ...(error === undefined ? {} : { error }),
      });
    try {
      const deletion = isDryRun
        ? { matched: await forgetting.count(source.name, filter), deleted: 0 }
        : await forgetting.delete(source.name, filter, "request");
      note(deletion);
      return deletion;
    } catch (error) {
      note({}, error instanceof Error && "code" in error ? String(error.code) : "internal");
      throw error;
    }
  });
}

interface DeletionCall {
  readonly filter: EventFilter;
  readonly isDryRun: boolean;
  /** The filters, as they were sent. */
  readonly sent: Readonly<Record<string, string>>;
}

/** A filter that is overlooked would delete too much, so nothing is. */
function readCall(request: FastifyRequest, source: Source): DeletionCall {
  const { "content-length": length = "0", "transfer-encoding": coding } = request.headers;
  if (length !== "0" || coding !== undefined) {
    throw new ServiceError("invalid_body", "Filters are parameters in the URL, and there is no body");
  }
  const parameters = urlParameters(request);
  const values = new Map<string, string>();
  for (const [name, all] of parameters) {
    if (!parameterNames.has(name)) throw refuse(name, "does not exist here", [...filterNames, "dry_run"]);
    if (name === "api_key") continue;
    if (all.length > 1) throw refuse(name, "is there more than once");
    if (all[0] === undefined || all[0] === "") throw refuse(name, "is empty");
    values.set(name, all[0]);
  }
  const readTime = (name: "from" | "to") => {
    const value = values.get(name);
    if (value === undefined) return undefined;
    const us = parseParameterValue("timestamp", value);
    if (typeof us !== "string") throw refuse(name, `must be ${describeParameterType("timestamp")}`);
    return BigInt(us);
  };
  const [fromUs, toUs] = [readTime("from"), readTime("to")];
  if (fromUs !== undefined && toUs !== undefined && fromUs >= toUs) throw refuse("to", "must be after from");
  const isDryRun = parseParameterValue("bool", values.get("dry_run") ?? "false");
  if (typeof isDryRun !== "boolean") throw refuse("dry_run", "must be true or false", ["true", "false"]);
  const [tenant, id] = [values.get("tenant"), values.get("id")];
  if (tenant !== undefined && source.tenantField === undefined) {
    throw refuse("tenant", `means nothing here: the source ${source.name} has no tenants`);
  }
  values.delete("dry_run");
  if (values.size === 0) {
    const hint = "Add tenant, from, to or id. To delete all events of a source, delete the source.";
    throw new ServiceError("invalid_parameter", "No filter says which events are to be deleted", { hint });
  }
  const filter = omitUndefined({ tenants: tenant === undefined ? undefined : { of: [tenant] }, fromUs, toUs, id });
  return { filter, isDryRun, sent: Object.fromEntries(values) };
}

function refuse(parameter: string, problem: string, allowed?: readonly string[]): ServiceError {
  const name = parameter.slice(0, 200);
  return invalidParameter(name, `The parameter ${name} ${problem}`, omitUndefined({ allowed }));
}
