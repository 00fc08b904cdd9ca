import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { formatEventLine } from "../../../engines/contract/event-line.ts";
import type { StoredEvents } from "../../../engines/contract/query-engine.ts";
import { count, inQuery, listOf, text } from "../../../openapi/forms.ts";
import { describeRoutes } from "../../../openapi/route-description.ts";
import { invalidParameter, ServiceError } from "../../../shared/errors.ts";
import { openBegunStream } from "../../answer/owned-stream.ts";
import { createRouteAdder } from "../../request/add-route.ts";
import { createCallSignal } from "../../request/call-signal.ts";
import { urlParameters } from "../../request/request-parameters.ts";
import { callerOf } from "../../request/route-access.ts";
import type { StoreDependencies } from "./store.ts";

const ofStore = { tag: "store", scope: "private" } as const;

const rangeParameters = [
  inQuery("source", "Name of the source", Type.String()),
  inQuery("from_us", "Events from this time on, in microseconds since 1970", Type.String()),
  inQuery("to_us", "Events before this time", Type.String()),
  inQuery("tenant", "Only events of this tenant"),
];

export const storedEventRoutes = describeRoutes({
  listSlices: {
    ...ofStore,
    path: "/api/store/slices",
    summary: "Count a source's stored events by interval, for `logweir migrate-data`",
    parameters: [...rangeParameters, inQuery("width_us", "Length of an interval in microseconds", Type.String())],
    answer: Type.Object({ slices: listOf({ start_us: text, events: count, fingerprint: text }) }),
    errors: ["invalid_parameter", "engine_unavailable"],
  },
  readStoredEvents: {
    ...ofStore,
    path: "/api/store/events",
    summary:
      "A source's stored events as they came, of all tenants or one, not redacted, a line each; the last line counts them",
    parameters: rangeParameters,
    mediaType: "application/x-ndjson",
    errors: ["invalid_parameter", "engine_unavailable"],
  },
});

type Dependencies = Pick<StoreDependencies, "engine" | "audit" | "shutdown">;

/** `GET /api/store/slices` and `GET /api/store/events`: what a store holds, past all queries, for owners. */
export function addStoredEventRoutes(app: FastifyInstance, { engine, audit, shutdown }: Dependencies): void {
  const addRoute = createRouteAdder(app);

  addRoute(storedEventRoutes.listSlices, async (request, reply) => {
    const { stored, source, range, tenant, read } = readCall(urlParameters(request), engine.storedEvents);
    const width = read("width_us");
    if (width < 1n) throw wrongTime("width_us");
    const slices = await stored.slices(source, range, width, createCallSignal(reply, shutdown), tenant);
    return {
      slices: slices.map(({ startUs, eventCount, fingerprint }) => {
        return { start_us: String(startUs), events: eventCount, fingerprint };
      }),
    };
  });

  addRoute(storedEventRoutes.readStoredEvents, async (request, reply) => {
    const owner = callerOf(request);
    const { stored, source, range, tenant } = readCall(urlParameters(request), engine.storedEvents);
    const lines = makeLines(stored.read(source, range, createCallSignal(reply, shutdown), tenant));
    const body = await openBegunStream(reply, lines);
    audit.record({ action: "store.read", actor: owner.tokenId, target: source });
    return reply.type("application/x-ndjson").send(body);
  });
}

function wrongTime(parameter: string): ServiceError {
  return invalidParameter(parameter, `The parameter ${parameter} must be a whole number of microseconds`);
}

function readCall(parameters: ReturnType<typeof urlParameters>, stored: StoredEvents | undefined) {
  if (stored === undefined) throw new ServiceError("not_found", "Events cannot be read from this engine");
  const read = (name: string): bigint => {
    const value = parameters.get(name)?.at(-1) ?? "";
    if (!/^-?\d{1,19}$/.test(value)) throw wrongTime(name);
    return BigInt.asIntN(64, BigInt(value));
  };
  const source = parameters.get("source")?.at(-1) ?? "";
  const tenant = parameters.get("tenant")?.at(-1);
  return { stored, source, range: { fromUs: read("from_us"), toUs: read("to_us") }, tenant, read };
}

/** The last line says how many there were: an answer without it was cut off. */
async function* makeLines(batches: ReturnType<StoredEvents["read"]>): AsyncGenerator<Buffer, void> {
  let total = 0;
  for await (const events of batches) {
    total += events.length;
    yield Buffer.from(events.map((event) => `${formatEventLine(event)}\n`).join(""));
  }
  yield Buffer.from(`${JSON.stringify({ events: total })}\n`);
}
